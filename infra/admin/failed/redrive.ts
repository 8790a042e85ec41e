import {
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { DescribeRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { escapeInvisible } from '../../../lib/base/text.ts';
import type { EventBus } from '../../../lib/changes/events/bus.ts';
import type { EventRepositories } from '../../../lib/changes/events/change.ts';
import { loggedChangeOf } from '../../../lib/changes/events/consume-records.ts';
import { replayEvent } from '../../../lib/changes/events/replay.ts';
import { sendChange } from '../../../lib/changes/events/send-change.ts';
import { webhookOfRule } from '../../../lib/changes/events/webhooks.ts';
import type { Failure, Retry, StreamRange } from './failure.ts';

interface RedriveServices {
  sources: EventRepositories;
  bus: EventBus;
  /** whether changes are mailed */
  isMailed: boolean;
  /** URL of DynamoDB Streams; undefined: AWS */
  streamEndpoint: string | undefined;
}

/**
 * Sends what could not be delivered again, but for mails, which go back into their queue.
 *
 * @throws Error with the reason why it cannot be sent
 */
export async function redrive(
  retry: Exclude<Retry, { kind: 'mail' }>,
  { sources, bus, isMailed, streamEndpoint }: RedriveServices,
): Promise<void> {
  if (retry === undefined) {
    throw new Error(
      'the message cannot be read: npm run admin -- events replay sends everything since a time',
    );
  }
  if (retry.kind === 'webhook') {
    const webhook = await webhookOf(retry.rule);
    if (webhook === undefined) throw new Error('its webhook is not deployed any more');
    await replayEvent(retry, webhook, sources, bus);
    return;
  }
  const changes = retry.kind === 'change' ? [retry] : await changesIn(retry.range, streamEndpoint);
  for (const { bug, change } of changes) await sendChange(bug, change, sources, bus, { mail: isMailed });
}

/** Name of the webhook that a rule is for; undefined: there is no such rule. */
async function webhookOf(ruleArn: string): Promise<string | undefined> {
  const [bus, name] = ruleArn.replace(/^.*:rule\//, '').split('/');
  const client = new EventBridgeClient({});
  try {
    const { Description = '' } = await client.send(
      new DescribeRuleCommand({ EventBusName: bus, Name: name }),
    );
    return webhookOfRule(Description);
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** The changes that records of the stream name. @throws Error when the stream does not have them any more */
async function changesIn(range: StreamRange, endpoint: string | undefined) {
  const client = new DynamoDBStreamsClient(endpoint === undefined ? {} : { endpoint });
  const { streamArn: StreamArn, shardId: ShardId, startSequenceNumber: SequenceNumber } = range;
  const changes: ReturnType<typeof loggedChangeOf>[] = [];
  const last = BigInt(range.endSequenceNumber);
  try {
    const type = 'AT_SEQUENCE_NUMBER' as const;
    let { ShardIterator: iterator } = await client.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, SequenceNumber, ShardIteratorType: type }),
    );
    while (iterator !== undefined) {
      const { Records = [], NextShardIterator } = await client.send(
        new GetRecordsCommand({ ShardIterator: iterator }),
      );
      const inRange = Records.filter(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? 0) <= last);
      const named = inRange.filter(({ dynamodb }) => dynamodb?.NewImage?.['events'] !== undefined);
      changes.push(...named.map((record) => loggedChangeOf(record)));
      const isAtEnd = Records.length === 0 || inRange.length < Records.length;
      iterator = isAtEnd ? undefined : NextShardIterator;
    }
    return changes;
  } catch (error) {
    if (!(error instanceof Error && /Trimmed|ResourceNotFound/.test(error.name))) throw error;
    throw new Error(
      'the stream keeps records for 24 hours: npm run admin -- events replay sends all since a time',
    );
  } finally {
    client.destroy();
  }
}

/** A line about what could not be delivered. */
export const failureLine = ({ id, queue, failed_at, bug, revision, error, retry }: Failure): string =>
  oneLine(
    [
      failed_at,
      id,
      queue.padEnd(8),
      bug === undefined ? '-' : `bug ${bug}, revision ${revision}`,
      ...(retry?.kind === 'webhook' ? [retry.event, retry.rule.replace(/^.*\//, '')] : []),
      error,
    ].join('  '),
  );

/** A text on one line: reasons are texts of others. */
export const oneLine = (text: string): string =>
  escapeInvisible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
