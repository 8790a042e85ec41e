import { Duration, type Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, type Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type DeliveryMetric, deliveryNamespace } from '../../../lib/changes/events/delivery-log.ts';
import { INTERNAL_SOURCE, INTERNAL_TYPES } from '../../../lib/changes/events/event.ts';
import type { AlarmDefinition } from '../alarms.ts';
import type { Graph } from '../dashboard.ts';
import type { DeployedTable } from '../table.ts';
import { addMail } from './mail.ts';
import type { EventOptions } from './options.ts';
import { deadLetterQueue } from './queues.ts';
import { addStreamReader } from './stream-reader.ts';
import { addWebhooks } from './webhooks.ts';

interface EventDeliveryProps {
  options: EventOptions;
  table: DeployedTable;
  /** ARN of the table's stream */
  streamArn: string;
  settings: Readonly<Record<string, string>>;
  /** of this deployment, without a trailing slash */
  url: string;
  isDevelopment: boolean;
  /** the function `account`; undefined: it is not deployed */
  account: LambdaFunction | undefined;
}

interface EventDelivery {
  /** name of the event bus */
  busName: string;
  /** URLs of the queues of what could not be delivered, by the names of their outputs */
  failed: Readonly<Record<string, string>>;
  functions: readonly LambdaFunction[];
  alarms: readonly AlarmDefinition[];
  /** for the dashboard */
  graphs: readonly Graph[];
}

const FIVE_MINUTES = Duration.minutes(5);
const MINUTE_MS = 60_000;
const MINUTE_SECONDS = 60;

/** What tells others of changes: the stream's function, the event bus, webhooks and mail. lib/changes/events */
export function addEventDelivery(stack: Stack, props: EventDeliveryProps): EventDelivery {
  const { options, table, streamArn, settings, url, isDevelopment, account } = props;
  const scope = new Construct(stack, 'EventDelivery');
  const bus = new EventBus(scope, 'Bus');
  const failed = deadLetterQueue(scope, 'FailedEvents');
  const mails = options.mail !== undefined;
  const reader = addStreamReader(stack, {
    ...{ table, streamArn, bus, failed, settings, mails, isDevelopment },
  });
  const webhooks =
    options.webhooks.length === 0
      ? undefined
      : addWebhooks(new Construct(stack, 'Webhooks'), bus, options.webhooks);
  const mail =
    options.mail === undefined
      ? undefined
      : addMail(new Construct(stack, 'MailDelivery'), {
          ...{ bus, table, options: options.mail, settings, url, isDevelopment },
          hasAccounts: account !== undefined,
        });
  if (mail !== undefined && account !== undefined) allowAccountMessages(account, bus);
  const counted = (metricName: DeliveryMetric) =>
    new Metric({
      ...{ namespace: deliveryNamespace(stack.stackName), metricName },
      ...{ period: FIVE_MINUTES, statistic: 'Sum' },
    });
  const age = reader.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' });
  return {
    busName: bus.eventBusName,
    failed: {
      FailedEventsQueue: failed.queueUrl,
      ...(webhooks === undefined ? {} : { FailedWebhooksQueue: webhooks.failed.queueUrl }),
      ...(mail === undefined ? {} : { FailedMailQueue: mail.failed.queueUrl }),
      ...(mail?.failedAccounts && { FailedAccountsQueue: mail.failedAccounts.queueUrl }),
    },
    functions: [reader, ...(mail === undefined ? [] : [mail.function])],
    alarms: [
      {
        name: 'EventDelay',
        describe: (threshold) =>
          `Events are more than ${threshold / MINUTE_MS} minutes late: the function events fails, or is throttled. Its log says why. Changes are tried again for 22 hours.`,
        metric: age,
      },
      {
        name: 'FailedEvents',
        describe: () =>
          'Changes could not become events: they are in the queue of the output FailedEventsQueue. npm run admin -- events failed lists them, events redrive sends them again.',
        metric: waiting(failed),
      },
      refusals(counted, mails),
      ...(webhooks === undefined ? [] : [failedWebhooks(webhooks.failed)]),
      ...(mail === undefined ? [] : mailAlarms(mail, counted('MailsLate'))),
      ...(mail === undefined || account === undefined ? [] : [signInLimit(counted('SignInsOverLimit'))]),
    ],
    graphs: [
      { title: 'Events: age, ms', metrics: [age] },
      {
        title: 'Events: messages in queues',
        metrics: [
          ...[failed, webhooks?.failed, mail?.queue],
          ...[mail?.accountQueue, mail?.failed, mail?.failedAccounts],
        ].flatMap((queue) => (queue === undefined ? [] : [waiting(queue)])),
      },
      {
        title: 'Events: sent and refused',
        metrics: [...EVENT_METRICS, ...(mails ? MAIL_METRICS : [])].map(counted),
      },
      ...(webhooks === undefined ? [] : webhookGraphs(bus, webhooks.rules)),
    ],
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
 * them. A metric has no values in periods without refusals, and an addition with a missing operand has none.
 */
const refusals = (counted: (metric: DeliveryMetric) => Metric, mails: boolean): AlarmDefinition => ({
  name: 'Refusals',
  describe: () =>
    'Events or mails were refused in five minutes: by EventBridge, by Amazon SES (sandbox, paused, quota, another identity), or by the table. They are tried again. The logs of the functions events and mail say why.',
  metric: mails
    ? new MathExpression({
        expression: 'FILL(events, 0) + FILL(mails, 0)',
        usingMetrics: { events: counted('EventsRefused'), mails: counted('MailsRefused') },
        label: 'Refused events and mails',
        period: FIVE_MINUTES,
      })
    : counted('EventsRefused'),
});

const failedWebhooks = (failed: Queue): AlarmDefinition => ({
  name: 'FailedWebhooks',
  describe: () =>
    'A webhook refused events, or was not there for 24 hours: they are in the queue of the output FailedWebhooksQueue, which npm run admin -- events failed lists, with the errors.',
  metric: waiting(failed),
});

const mailAlarms = (
  { queue, failed, failedAccounts }: { queue: Queue; failed: Queue; failedAccounts: Queue | undefined },
  late: IMetric,
): AlarmDefinition[] => [
  {
    name: 'MailDelay',
    describe: (threshold) =>
      `Messages are in the queue of mails for more than ${threshold / MINUTE_SECONDS} minutes: the function mail does not run, or is throttled. Its log says why.`,
    // SQS ignores messages that were received three times: LateMails tells of these.
    metric: queue.metricApproximateAgeOfOldestMessage({ period: FIVE_MINUTES, statistic: 'Maximum' }),
  },
  {
    name: 'LateMails',
    describe: () =>
      'Mails wait for more than 90 minutes: there are more than mailPerHour, or others go first, or Amazon SES does not take them. The log of the function mail says why, with the id of the user.',
    metric: late,
  },
  {
    name: 'FailedMails',
    describe: () =>
      'Changes, or messages about accounts, could not be mailed: they are in the queues of the outputs FailedMailQueue and FailedAccountsQueue. npm run admin -- events failed lists them, events redrive sends them again.',
    metric:
      failedAccounts === undefined
        ? waiting(failed)
        : new MathExpression({
            expression: 'FILL(changes, 0) + FILL(accounts, 0)',
            usingMetrics: { changes: waiting(failed), accounts: waiting(failedAccounts) },
            label: 'Messages that could not be mailed',
            period: FIVE_MINUTES,
          }),
  },
];

const signInLimit = (metric: IMetric): AlarmDefinition => ({
  name: 'SignInLimit',
  describe: () =>
    'A share of signIn.perHour is used up, and others get no mails for signing in until the next hour; or requests waited for more than 10 minutes. The access log has the addresses of POST /rest/bugless/sign_in.',
  metric,
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
    { title: 'Webhooks: attempts', metrics: each('InvocationAttempts') },
    { title: 'Webhooks: retries', metrics: each('RetryInvocationAttempts') },
  ];
}
