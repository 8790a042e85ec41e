import type { Message } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { jsonOf } from '../../../lib/base/json.ts';
import { timestamp } from '../../../lib/base/time.ts';
import { type LoggedChange, loggedChange } from '../../../lib/bugs/change-log/logged-change.ts';
import { loggedChangeOf } from '../../../lib/changes/events/consume-records.ts';
import { isAccountMessage } from '../../../lib/changes/mail/consume-account-messages.ts';
import type { FailedQueueName } from './queues.ts';

/** What could not be delivered, whichever queue has it. */
export interface Failure {
  /** SQS's, of the message */
  id: string;
  queue: FailedQueueName;
  /** when it came into the queue */
  failed_at: string;
  bug?: number;
  /** of the bug, after the change */
  revision?: number;
  error: string;
  /** how it can be sent again */
  retry: Retry;
}

/** A change; an event for the webhook of a rule; a range of the stream. undefined: the message cannot be read. */
export type Retry =
  | { kind: 'change'; bug: number; change: LoggedChange }
  | { kind: 'webhook'; rule: string; bug: number; event: string; revision: number; time: string }
  | { kind: 'mail' }
  | { kind: 'stream'; range: StreamRange }
  | undefined;

const streamRange = z.object({
  streamArn: z.string(),
  shardId: z.string(),
  startSequenceNumber: z.string(),
  endSequenceNumber: z.string(),
});
/** Records of the stream, by their sequence numbers. */
export type StreamRange = z.infer<typeof streamRange>;

/** The forms of messages: of the function `events`, of Lambda, of EventBridge for webhooks, and for mails. */
const ownMessage = z.object({ key: z.object({}), error: z.string(), record: z.unknown() });
const lambdaMessage = z.object({
  requestContext: z.object({ condition: z.string() }),
  DDBStreamBatchInfo: streamRange,
});
const webhookMessage = z.object({
  detail: z.object({
    id: z.string(),
    revision: z.int(),
    event: z.object({ time: z.string() }),
    bug: z.object({ id: z.int() }),
  }),
});
const mailMessage = z.object({
  detail: z.object({ bug: z.int(), change: loggedChange }),
});

/** Reads a message of a dead-letter queue. */
export function failureOf(queue: FailedQueueName, message: Message): Failure {
  const { MessageId: id = '', Body = '', Attributes, MessageAttributes = {} } = message;
  const failed_at = timestamp(new Date(Number(Attributes?.SentTimestamp ?? 0)));
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const codes = ['ERROR_CODE', 'ERROR_MESSAGE'].flatMap((name) => attribute(name) ?? []);
  const error = codes.length === 0 ? undefined : codes.join(': ');
  const common = { id, queue, failed_at };
  const body = jsonOf(Body);
  if (queue === 'mail' || queue === 'accounts') {
    const { data } = mailMessage.safeParse(body);
    // Until version 1.2.0, both queues of mails had one dead-letter queue. The function reads either message from either queue.
    const isReadable = data !== undefined || isAccountMessage({ body: Body });
    return {
      ...common,
      ...(data && { bug: data.detail.bug, revision: data.detail.change.revision }),
      error: error ?? 'It was received 700 times',
      retry: isReadable ? { kind: 'mail' } : undefined,
    };
  }
  if (queue === 'webhooks') {
    const { data } = webhookMessage.safeParse(body);
    const rule = attribute('RULE_ARN');
    const known = error ?? 'EventBridge gives no reason';
    if (data === undefined || rule === undefined) return { ...common, error: known, retry: undefined };
    const { id: event, revision, bug, event: change } = data.detail;
    const retry: Retry = { kind: 'webhook', rule, bug: bug.id, event, revision, time: change.time };
    return { ...common, bug: bug.id, revision, error: known, retry };
  }
  const ofLambda = lambdaMessage.safeParse(body).data;
  if (ofLambda !== undefined) {
    const retry: Retry = { kind: 'stream', range: ofLambda.DDBStreamBatchInfo };
    return { ...common, error: ofLambda.requestContext.condition, retry };
  }
  const own = ownMessage.safeParse(body).data;
  const change = own === undefined ? undefined : changeIn(own.record);
  return {
    ...common,
    ...(change === undefined ? {} : { bug: change.bug, revision: change.change.revision }),
    error: own?.error ?? 'The message cannot be read',
    retry: change === undefined ? undefined : { kind: 'change', ...change },
  };
}

/** A failure as `events failed` shows it. */
export const shownFailure = ({ retry, ...shown }: Failure) =>
  retry?.kind === 'webhook' ? { ...shown, event: retry.event, rule: retry.rule.replace(/^.*\//, '') } : shown;

function changeIn(record: unknown) {
  try {
    return loggedChangeOf(record);
  } catch {
    return undefined;
  }
}
