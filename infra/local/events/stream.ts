import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod';
import type { Table } from '../../../lib/table/client.ts';
import { isUnavailable } from '../../../lib/table/errors.ts';

/** A function that consumes a stream. @returns the sequence numbers of which Lambda sends the first, and what follows, again */
export type StreamHandler = (records: _Record[]) => Promise<readonly string[]>;

/** As Lambda's event source mapping. */
const BATCH_SIZE = 100;
const POLL_INTERVAL_MS = 150;
/** How often new shards are looked for. */
const DESCRIBE_INTERVAL_MS = 5_000;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;

/** The ARN of the stream of a table; undefined: it has none. */
export async function streamOf({ name, client }: Table): Promise<string | undefined> {
  const { Table: described } = await client.send(new DescribeTableCommand({ TableName: name }));
  return described?.StreamSpecification?.StreamEnabled === true ? described.LatestStreamArn : undefined;
}

/** Turns the stream of a table on, unless it is. @returns its ARN */
export async function enableStream(table: Table): Promise<string> {
  const { name, client } = table;
  const existing = await streamOf(table);
  if (existing !== undefined) return existing;
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const };
  await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification }));
  const arn = await streamOf(table);
  if (arn === undefined) throw new Error(`The table ${name} has no stream`);
  return arn;
}

/** Whether the stack's event source mapping lets a record through: an entry of the change log of which somebody is told. */
const isEvent = ({ dynamodb: { Keys, NewImage } = {} }: _Record): boolean =>
  Keys?.['pk']?.S?.startsWith('CHANGED#') === true && NewImage?.['events']?.S !== undefined;

/** A shard that is read. */
interface Reading {
  iterator: string | undefined;
  parent: string | undefined;
  /** sequence number of the last record that was read */
  last: string | undefined;
}

/** Iterators that cannot be used any more. */
const LOST_ITERATOR: ReadonlySet<string> = new Set([
  'ExpiredIteratorException',
  'TrimmedDataAccessException',
]);

const isLost = (error: unknown): boolean => error instanceof Error && LOST_ITERATOR.has(error.name);

/**
 * Reads the stream of a table as Lambda's event source mapping does: shards in their order, a filter, batches, and records
 * that a function could not process again, from the first of them on, until it has.
 *
 * @param checkpoints absent: what is written from now on is read; else what was written since they were kept first
 * @param cleanup receives the function that ends it
 * @param report receives errors
 */
export async function consumeStream(
  { arn, endpoint }: { arn: string; endpoint: string },
  handler: StreamHandler,
  cleanup: AsyncDisposableStack,
  report: (message: string, cause?: unknown) => void,
  checkpoints?: Checkpoints,
): Promise<void> {
  const client = new DynamoDBStreamsClient({ endpoint });
  const shards = new Map<string, Reading>();
  let isStopped = false;
  let describedAt = 0;

  /** @param last that was processed; undefined: none. Where the stream has forgotten it, all that there is follows */
  async function iteratorOf(
    ShardId: string,
    ShardIteratorType: 'LATEST' | 'TRIM_HORIZON',
    last?: string,
  ): Promise<string | undefined> {
    const after = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: last };
    const from = last === undefined ? { ShardIteratorType } : after;
    try {
      const { ShardIterator } = await client.send(
        new GetShardIteratorCommand({ StreamArn: arn, ShardId, ...from }),
      );
      return ShardIterator;
    } catch (error) {
      if (last === undefined || !isLost(error)) throw error;
      return iteratorOf(ShardId, 'TRIM_HORIZON');
    }
  }

  /** The next records of a shard. */
  async function read(id: string, { iterator, last }: Reading): Promise<GetRecordsCommandOutput> {
    try {
      return await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
    } catch (error) {
      if (!isLost(error)) throw error;
      const next = await iteratorOf(id, 'TRIM_HORIZON', last);
      return client.send(new GetRecordsCommand({ ShardIterator: next }));
    }
  }

  async function describe(): Promise<Shard[]> {
    const found: Shard[] = [];
    let last: string | undefined;
    do {
      const page = await client.send(
        new DescribeStreamCommand({ StreamArn: arn, ExclusiveStartShardId: last }),
      );
      found.push(...(page.StreamDescription?.Shards ?? []));
      last = page.StreamDescription?.LastEvaluatedShardId;
    } while (last !== undefined);
    return found;
  }

  async function findShards(type: 'LATEST' | 'TRIM_HORIZON'): Promise<void> {
    describedAt = Date.now();
    for (const { ShardId: id, ParentShardId: parent } of await describe()) {
      if (id === undefined || shards.has(id)) continue;
      const last = checkpoints?.of(id);
      shards.set(id, { iterator: await iteratorOf(id, type, last), parent, last });
    }
  }

  /** @returns whether all are done; otherwise reading was stopped */
  async function deliver(records: _Record[]): Promise<boolean> {
    for (let at = 0; at < records.length; at += BATCH_SIZE) {
      if (!(await attempt(records.slice(at, at + BATCH_SIZE)))) return false;
    }
    return true;
  }

  /** @returns whether the records are done */
  async function attempt(batch: _Record[]): Promise<boolean> {
    let left = batch;
    for (let number = 1; left.length > 0 && !isStopped; number += 1) {
      const failed = await handler(left).catch((error: unknown) => {
        report('The function events failed', error);
        return left.flatMap(({ dynamodb }) => dynamodb?.SequenceNumber ?? []);
      });
      const first = left.findIndex(({ dynamodb }) => failed.includes(dynamodb?.SequenceNumber ?? ''));
      if (first === -1) return true;
      if (first > 0) number = 0;
      left = left.slice(first);
      await sleep(Math.min(FIRST_BACKOFF_MS * 2 ** number, MAX_BACKOFF_MS));
    }
    return left.length === 0;
  }

  async function poll(): Promise<void> {
    for (const [id, shard] of shards) {
      const isWaiting = shard.parent !== undefined && shards.get(shard.parent)?.iterator !== undefined;
      if (shard.iterator === undefined || isWaiting || isStopped) continue;
      const { Records = [], NextShardIterator } = await read(id, shard);
      if (!(await deliver(Records.filter(isEvent)))) return;
      const last = Records.at(-1)?.dynamodb?.SequenceNumber ?? shard.last;
      shards.set(id, { ...shard, iterator: NextShardIterator, last });
      if (last !== undefined && last !== shard.last) checkpoints?.set(id, last);
      if (NextShardIterator === undefined) describedAt = 0;
    }
    if (Date.now() - describedAt > DESCRIBE_INTERVAL_MS) await findShards('TRIM_HORIZON');
  }

  await findShards(checkpoints?.isKnown === true ? 'TRIM_HORIZON' : 'LATEST');
  checkpoints?.begin();
  let isFailing = false;
  const ended = (async () => {
    while (!isStopped) {
      try {
        await poll();
        isFailing = false;
      } catch (error) {
        // Once for an outage.
        if (!isStopped && !isFailing) reportUnread(error, report);
        isFailing = true;
      }
      await sleep(POLL_INTERVAL_MS);
    }
  })();
  cleanup.defer(async () => {
    isStopped = true;
    await ended;
    client.destroy();
  });
}

/** A database that does not respond is named in a line: it may be starting. */
function reportUnread(error: unknown, report: (message: string, cause?: unknown) => void): void {
  if (error instanceof Error && isUnavailable(error))
    report(`The stream of the table waits: ${error.message}`);
  else report('The stream of the table cannot be read', error);
}

const stored = z.object({ arn: z.string(), shards: z.record(z.string(), z.string()) });

type Checkpoints = ReturnType<typeof fileCheckpoints>;

/**
 * Keeps how far the stream of a table was read, so that what was written just before a stop is read after the next start.
 *
 * @param path of a file
 * @param arn of the stream; what the file has of another one is ignored
 */
export function fileCheckpoints(path: string, arn: string) {
  const known = read(path, arn);
  const shards = new Map(known);

  const save = () => writeFileSync(path, `${JSON.stringify({ arn, shards: Object.fromEntries(shards) })}\n`);

  return {
    /** Whether the stream was read before: then what it has of other shards is new. */
    isKnown: known !== undefined,
    /** The sequence number of the last record of a shard that was processed; none: undefined. */
    of: (shard: string): string | undefined => shards.get(shard),
    /** Notes that the stream is read from now on. */
    begin: save,
    /** Notes the last record that was processed. */
    set(shard: string, sequenceNumber: string): void {
      shards.set(shard, sequenceNumber);
      save();
    },
  };
}

function read(path: string, arn: string): [string, string][] | undefined {
  try {
    const { arn: of, shards } = stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    return of === arn ? Object.entries(shards) : undefined;
  } catch {
    // It is absent, or was not written to its end.
    return undefined;
  }
}
