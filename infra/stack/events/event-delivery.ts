import { Duration, type Stack } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, type Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type DeliveryMetric, deliveryNamespace } from '../../../lib/changes/events/delivery-log.ts';
import { INTERNAL_SOURCE, INTERNAL_TYPES } from '../../../lib/changes/events/event.ts';
import { type AlarmMetric, sumOf } from '../alarms.ts';
import type { FunctionContext } from '../bundled-function.ts';
import type { Graph } from '../dashboard.ts';
import { addMail } from './mail.ts';
import type { EventOptions } from './options.ts';
import { deadLetterQueue } from './queues.ts';
import { addStreamReader } from './stream-reader.ts';
import { addWebhooks } from './webhooks.ts';

interface EventDeliveryProps {
  options: EventOptions;
  /** of the functions */
  context: FunctionContext;
  /** ARN of the table's stream */
  streamArn: string;
  /** of this deployment, without a trailing slash */
  url: string;
  /** the function `account`; undefined: it is not deployed */
  account: LambdaFunction | undefined;
}

const FIVE_MINUTES = Duration.minutes(5);

/** What tells others of changes: the stream's function, the event bus, webhooks and mail. lib/changes/events */
export function addEventDelivery(stack: Stack, props: EventDeliveryProps) {
  const { options, context, streamArn, url, account } = props;
  const scope = new Construct(stack, 'EventDelivery');
  const bus = new EventBus(scope, 'Bus');
  const failed = deadLetterQueue(scope, 'FailedEvents');
  const mails = options.mail !== undefined;
  const reader = addStreamReader(stack, context, { streamArn, bus, failed, mails });
  const webhooks =
    options.webhooks.length === 0
      ? undefined
      : addWebhooks(new Construct(stack, 'Webhooks'), bus, options.webhooks);
  const mail =
    options.mail === undefined
      ? undefined
      : addMail(new Construct(stack, 'MailDelivery'), context, {
          ...{ bus, options: options.mail, url, hasAccounts: account !== undefined },
        });
  if (mail !== undefined && account !== undefined) allowAccountMessages(account, bus);
  const counted = (metricName: DeliveryMetric) =>
    new Metric({
      ...{ namespace: deliveryNamespace(stack.stackName), metricName },
      ...{ period: FIVE_MINUTES, statistic: 'Sum' },
    });
  const age = reader.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' });
  const alarms: AlarmMetric[] = [
    ['EventDelay', age],
    ['FailedEvents', waiting(failed)],
    ['Refusals', refusals(counted, mails)],
  ];
  if (webhooks !== undefined) alarms.push(['FailedWebhooks', waiting(webhooks.failed)]);
  if (mail !== undefined) {
    // SQS ignores messages that were received three times: LateMails tells of these.
    const oldest = { period: FIVE_MINUTES, statistic: 'Maximum' };
    alarms.push(
      ['MailDelay', mail.queue.metricApproximateAgeOfOldestMessage(oldest)],
      ['LateMails', counted('MailsLate')],
      ['FailedMails', failedMails(mail)],
    );
    if (account !== undefined) alarms.push(['SignInLimit', counted('SignInsOverLimit')]);
  }
  const queues = [
    ...[failed, webhooks?.failed, mail?.queue],
    ...[mail?.accountQueue, mail?.failed, mail?.failedAccounts],
  ];
  const graphs: Graph[] = [
    ['Events: age, ms', [age]],
    ['Events: messages in queues', queues.filter((queue) => queue !== undefined).map(waiting)],
    ['Events: sent and refused', [...EVENT_METRICS, ...(mails ? MAIL_METRICS : [])].map(counted)],
    ...(webhooks === undefined ? [] : webhookGraphs(bus, webhooks.rules)),
  ];
  return {
    busName: bus.eventBusName,
    /** URLs of the queues of what could not be delivered, by the names of their outputs */
    failed: {
      FailedEventsQueue: failed.queueUrl,
      ...(webhooks === undefined ? {} : { FailedWebhooksQueue: webhooks.failed.queueUrl }),
      ...(mail === undefined ? {} : { FailedMailQueue: mail.failed.queueUrl }),
      ...(mail?.failedAccounts && { FailedAccountsQueue: mail.failedAccounts.queueUrl }),
    },
    functions: [reader, ...(mail === undefined ? [] : [mail.function])],
    alarms,
    graphs,
  };
}

/** Lets the function `account` say what users are to be mailed about their accounts, and nothing else: it can forge no change. */
function allowAccountMessages(account: LambdaFunction, bus: EventBus): void {
  account.addEnvironment('EVENT_BUS_NAME', bus.eventBusName);
  const keys = { 'events:source': INTERNAL_SOURCE, 'events:detail-type': INTERNAL_TYPES.account };
  account.addToRolePolicy(
    new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: {
        'ForAllValues:StringEquals': keys,
        // Without values, the condition for all of them would hold.
        Null: Object.fromEntries(Object.keys(keys).map((name) => [name, 'false'])),
      },
    }),
  );
}

const waiting = (queue: Queue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' });

export const EVENT_METRICS = ['EventsSent', 'EventsRefused'] as const;
export const MAIL_METRICS = [
  'MailsSent',
  'MailsDelayed',
  'MailsLate',
  'MailsRefused',
  'MailsUndeliverable',
  'ChangesOverLimit',
  'SignInsOverLimit',
] as const;

/**
 * The age of messages does not show refusals: SQS leaves a message out of it that was received three times. The functions count
 * them. A metric has no values in periods without refusals.
 */
const refusals = (counted: (metric: DeliveryMetric) => Metric, mails: boolean): IMetric =>
  mails
    ? sumOf('Refused events and mails', { events: counted('EventsRefused'), mails: counted('MailsRefused') })
    : counted('EventsRefused');

const failedMails = ({ failed, failedAccounts }: ReturnType<typeof addMail>): IMetric =>
  failedAccounts === undefined
    ? waiting(failed)
    : sumOf('Messages that could not be mailed', {
        changes: waiting(failed),
        accounts: waiting(failedAccounts),
      });

function webhookGraphs(bus: EventBus, rules: readonly Rule[]): Graph[] {
  const each = (metricName: string) =>
    rules.map(
      (rule) =>
        new Metric({
          namespace: 'AWS/Events',
          metricName,
          dimensionsMap: { EventBusName: bus.eventBusName, RuleName: rule.ruleName },
          period: FIVE_MINUTES,
          statistic: 'Sum',
          label: rule.node.scope?.node.id ?? rule.node.id,
        }),
    );
  return [
    ['Webhooks: attempts', each('InvocationAttempts')],
    ['Webhooks: retries', each('RetryInvocationAttempts')],
  ];
}
