import { Duration, Stack } from 'aws-cdk-lib';
import { type EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { consumer } from '../../../functions/mail/consumer.ts';
import { INTERNAL_SOURCE, INTERNAL_TYPES } from '../../../lib/changes/events/event.ts';
import { identityOf, type MailOptions } from '../../../lib/changes/mail/options.ts';
import { bundledFunction, type FunctionContext } from '../bundled-function.ts';
import { allowRules, deadLetterQueue, encryptedQueue } from './queues.ts';

const TIMEOUT = Duration.seconds(60);

/** A change that waits for a limit of mails is received 100 times within hours, then once an hour, for the 14 days that the queue keeps it. */
const MAX_RECEIVE_COUNT = 700;

interface MailProps {
  bus: EventBus;
  options: MailOptions;
  /** of this deployment, without a trailing slash */
  url: string;
  /** whether users are mailed about their accounts */
  hasAccounts: boolean;
}

/** The function `mail`, its queues of changes and of messages about accounts, and those of what could not be mailed. */
export function addMail(
  scope: Construct,
  context: FunctionContext,
  { bus, options, url, hasAccounts }: MailProps,
) {
  const stack = Stack.of(scope);
  const failed = deadLetterQueue(scope, 'Failed');
  const queue = messageQueue(scope, '', {
    ...{ bus, failed, type: INTERNAL_TYPES.change, what: 'changes to mail' },
  });
  const failedAccounts = hasAccounts ? deadLetterQueue(scope, 'FailedAccounts') : undefined;
  const accountQueue =
    failedAccounts &&
    messageQueue(scope, 'Account', {
      ...{ bus, failed: failedAccounts, type: INTERNAL_TYPES.account, what: 'mails about accounts' },
    });
  const { from, replyTo, perHour } = options;
  const target = bundledFunction(stack, {
    ...context,
    code: { ...consumer, assets: [] },
    environment: {
      ...context.environment,
      MAIL_FROM: from,
      ...(replyTo === undefined ? {} : { MAIL_REPLY_TO: replyTo }),
      MAIL_PER_HOUR: String(perHour),
      MAIL_QUEUE_URL: queue.queueUrl,
      ...(accountQueue === undefined ? {} : { ACCOUNT_QUEUE_URL: accountQueue.queueUrl }),
      BASE_URL: `${url}/`,
    },
    timeout: TIMEOUT,
  });
  target.addToRolePolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resources: sesResources(stack, options),
      conditions: { StringEquals: { 'ses:FromAddress': from } },
    }),
  );
  for (const one of [queue, ...(accountQueue === undefined ? [] : [accountQueue])]) {
    // It permits the function to receive and delete messages, and to change their visibility.
    target.addEventSource(
      new SqsEventSource(one, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
  }
  return { function: target, queue, accountQueue, failed, failedAccounts };
}

/** A queue with what a rule takes from the bus. @param type the `detail-type` */
function messageQueue(
  scope: Construct,
  prefix: string,
  { bus, failed, type, what }: { bus: EventBus; failed: Queue; type: string; what: string },
): Queue {
  const queue = encryptedQueue(scope, `${prefix}Queue`, {
    // Six times the timeout, as Lambda recommends, because it receives again what it has no capacity for.
    visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
    deadLetterQueue: { queue: failed, maxReceiveCount: MAX_RECEIVE_COUNT },
  });
  const rule = new Rule(scope, `${prefix}Rule`, {
    eventBus: bus,
    description: `Bugless: ${what}`,
    eventPattern: { source: [INTERNAL_SOURCE], detailType: [type] },
    targets: [{ bind: () => ({ arn: queue.queueArn, deadLetterConfig: { arn: failed.queueArn } }) }],
  });
  for (const one of [queue, failed]) allowRules(one, rule.ruleArn);
  return queue;
}

/** The ARNs of the identity that mails are sent from, and of its configuration set: SES checks both. */
function sesResources(stack: Stack, options: MailOptions): string[] {
  const { configurationSet } = options;
  const identity = identityOf(options);
  const arn = (resource: string, resourceName: string) =>
    stack.formatArn({ service: 'ses', resource, resourceName });
  return [
    identity.startsWith('arn:') ? identity : arn('identity', identity),
    ...(configurationSet === undefined ? [] : [arn('configuration-set', configurationSet)]),
  ];
}
