import { QueryCommand, type QueryCommandOutput, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { mapConcurrent, portions } from '../base/collections.ts';
import type { Table } from './client.ts';
import { expecting, readListPage, readUnits, sizeOf } from './consumption.ts';
import { type Attributes, type Key, keyText } from './keys.ts';
import type { Pacer } from './pacer.ts';
import { type BatchReading, MAX_BATCH_KEYS, readBatch, readTogether } from './read-together.ts';
import { retryUnavailable } from './retry.ts';

/** An item with its key, its content not parsed. */
export type Item = Key & Attributes;

/** What parses an item: a zod schema. */
export interface ItemSchema<T> {
  parse(item: unknown): T;
}

const keyFields = { pk: z.string(), sk: z.string() };
const key = z.object(keyFields);

/** For reads whose items are parsed later, or not at all. */
export const anyItem = z.custom<Item>((item) => key.safeParse(item).success);

const makeWithKey = <S extends z.core.$ZodShape>(schema: z.ZodMiniObject<S>) => z.extend(schema, keyFields);
const schemasWithKey = new WeakMap<object, z.ZodMiniObject>();

/** The schema of an item together with its key. Made once of each: to make it, and to parse for the first time, takes longer than a parse. */
export function withKey<S extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<S>,
): ReturnType<typeof makeWithKey<S>>;
export function withKey(schema: z.ZodMiniObject): z.ZodMiniObject {
  const made = schemasWithKey.get(schema) ?? makeWithKey(schema);
  schemasWithKey.set(schema, made);
  return made;
}

/**
 * Reads one item, strongly consistent; absent: undefined. What a request reads in the same tick shares a call: see
 * read-together.ts.
 */
export async function readItem<T>(table: Table, key: Key, schema: ItemSchema<T>): Promise<T | undefined> {
  const item = await readTogether(table, key);
  return item === undefined ? undefined : schema.parse(item);
}

/** A range of one partition: all of it, the sort keys from `from` to `to` (inclusive), or those with a prefix. */
export interface Range {
  pk: string;
  from?: string;
  to?: string;
  prefix?: string;
}

/** How to read a range where the whole of it may not be needed. */
export interface Paging {
  /** items of the first page, twice as many of each next one; absent: as many as fit 1 MB */
  pageSize?: number;
  /** from the last sort key to the first */
  isReverse?: boolean;
  /** for ranges that may take much of what the table allows in a second */
  pacer?: Pacer;
  /** whether what is read counts to what a request may read: see consumption.ts */
  isBounded?: boolean;
}

/** More items than 1 MB has. DynamoDB refuses numbers over 2,147,483,647. */
const MAX_PAGE_SIZE = 100_000;

/** Reads a range page by page (at most 1 MB each), in the order of the sort keys, strongly consistent; one that ends before it begins has no pages. */
export async function* readPages<T>(
  table: Table,
  range: Range,
  schema: ItemSchema<T>,
  { pageSize, isReverse = false, pacer, isBounded = false }: Paging = {},
): AsyncGenerator<T[]> {
  // DynamoDB refuses it.
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  const { condition, values } = keyCondition(range);
  let start: Attributes | undefined;
  let limit = pageSize === undefined ? undefined : Math.min(pageSize, MAX_PAGE_SIZE);
  do {
    const query = new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: condition,
      ExpressionAttributeValues: values,
      ConsistentRead: true,
      ExclusiveStartKey: start,
      ...(limit === undefined ? {} : { Limit: limit }),
      ...(isReverse ? { ScanIndexForward: false } : {}),
    });
    const send = () => table.client.send(query);
    const read = () =>
      retryUnavailable(table.retryTimeoutMs, pacer === undefined ? send : () => atPace(pacer, send));
    const page = await (isBounded ? readListPage(read) : read());
    yield parseAll(page.Items, schema);
    start = page.LastEvaluatedKey;
    limit = limit === undefined ? undefined : Math.min(limit * 2, MAX_PAGE_SIZE);
  } while (start !== undefined);
}

/** Sends a query once the pacer has capacity for it. A query that is throttled does not return the capacity it took. */
async function atPace(pacer: Pacer, send: () => Promise<QueryCommandOutput>): Promise<QueryCommandOutput> {
  const taken = await pacer.take();
  try {
    const page = await send();
    pacer.settle(taken, page.ConsumedCapacity?.CapacityUnits ?? 0);
    if ((page.$metadata.attempts ?? 1) > 1) pacer.slowDown();
    return page;
  } catch (error) {
    pacer.slowDown();
    throw error;
  }
}

const parseAll = <T>(items: Attributes[] = [], schema: ItemSchema<T>): T[] =>
  items.map((item) => schema.parse(item));

/** Starts to read the first page at once; the others are read on demand. */
export function prefetch<T>(pages: AsyncGenerator<T>): AsyncIterable<T> {
  const first = pages.next();
  // A request that is refused meanwhile never consumes the page.
  first.catch(() => undefined);
  return (async function* () {
    const { value, done } = await first;
    if (done !== true) {
      yield value;
      yield* pages;
    }
  })();
}

/** Reads the first items of a range in an order: at most `count`, and at most 1 MB. */
export async function readFirst<T>(
  table: Table,
  range: Range,
  schema: ItemSchema<T>,
  count: number,
  order: 'ascending' | 'descending' = 'ascending',
): Promise<T[]> {
  const paging = { pageSize: count, isReverse: order === 'descending' };
  for await (const page of readPages(table, range, schema, paging)) return page;
  return [];
}

/** Reads a whole range. */
export async function readRange<T>(
  table: Table,
  range: Range,
  schema: ItemSchema<T>,
  paging?: Paging,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of readPages(table, range, schema, paging)) items.push(...page);
  return items;
}

/** Items of a segment, which take about a page. */
const SEGMENT_ITEMS = 2_000;
/** Of a table that is larger than a page. */
const MIN_SEGMENTS = 32;
/** Where one of those is larger than a page, one of these says how many items the table has. */
const SAMPLE_SEGMENTS = 4_096;

/** Called with how many segments of the table were read, and how many it has. */
export type ScanReport = (done: number, total: number) => void;

/** How to scan the table. */
export interface Scan {
  /** only items with this sort key; absent: all */
  sortKey?: string;
  report?: ScanReport;
}

/**
 * Reads the whole table, page by page, strongly consistent: for the operator's commands. The items of a partition come
 * one after the other. The next page is read while one is used. The roles of the functions do not allow it.
 *
 * For each page, DynamoDB Local reads and sorts all that its segment has: with 1.5 million items 25 s for a page of the
 * whole table, 0.07 s for one of a segment with 1,600 items.
 */
export async function* scanPages<T>(
  table: Table,
  schema: ItemSchema<T>,
  scan: Scan = {},
): AsyncGenerator<T[]> {
  const pages = segmentPages(table, scan);
  let next = pages.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = pages.next();
    // What fails while this page is used is thrown when the next one is asked for.
    next.catch(() => undefined);
    yield parseAll(value, schema);
  }
}

async function* segmentPages(
  table: Table,
  { sortKey, report = () => undefined }: Scan,
): AsyncGenerator<Attributes[]> {
  const filter =
    sortKey === undefined
      ? {}
      : { FilterExpression: 'sk = :sk', ExpressionAttributeValues: { ':sk': sortKey } };
  const readPage = (part: { Segment?: number; TotalSegments?: number; ExclusiveStartKey?: Attributes }) => {
    const scan = new ScanCommand({ TableName: table.name, ConsistentRead: true, ...filter, ...part });
    return retryUnavailable(table.retryTimeoutMs, () => table.client.send(scan));
  };
  const scannedIn = async (TotalSegments: number) => {
    const { ScannedCount = 0, LastEvaluatedKey } = await readPage({ Segment: 0, TotalSegments });
    return { items: ScannedCount * TotalSegments, isWhole: LastEvaluatedKey === undefined };
  };
  const sample = await scannedIn(MIN_SEGMENTS);
  if (sample.isWhole && sample.items <= SEGMENT_ITEMS) {
    const first = await readPage({});
    if (first.LastEvaluatedKey === undefined) {
      yield first.Items ?? [];
      report(1, 1);
      return;
    }
  }
  const estimated = sample.isWhole ? 0 : (await scannedIn(SAMPLE_SEGMENTS)).items / SEGMENT_ITEMS;
  const segments = Math.max(MIN_SEGMENTS, Math.ceil(estimated));
  for (let segment = 0; segment < segments; segment += 1) {
    let start: Attributes | undefined;
    do {
      const startKey = start === undefined ? {} : { ExclusiveStartKey: start };
      const page = await readPage({ Segment: segment, TotalSegments: segments, ...startKey });
      yield page.Items ?? [];
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    report(segment + 1, segments);
  }
}

/**
 * Reads items by their keys, in no order; absent ones are left out. Keys may repeat. Without options, what a request reads
 * in the same tick shares calls: see read-together.ts.
 *
 * @param options isConsistent: false: at half the price; an item that was just written may be missing.
 * onThrottled: called when DynamoDB leaves keys to a further call
 * @throws RetriesExhausted when DynamoDB leaves keys unprocessed until the deadline
 */
export async function readItems<T>(
  table: Table,
  keys: Key[],
  schema: ItemSchema<T>,
  options?: BatchReading,
): Promise<T[]> {
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
  if (options !== undefined) {
    const batches = [...portions(distinct, { max: MAX_BATCH_KEYS })];
    const found = await mapConcurrent(batches, (batch) => readBatch(table, batch, options));
    return parseAll(found.flat(), schema);
  }
  return parseAll(
    await readTogetherAll(
      table,
      distinct.map((key) => ({ key })),
    ),
    schema,
  );
}

/** A key whose item may be large. */
export interface SizedKey {
  key: Key;
  /** read units that the item takes; undefined: unknown */
  units?: number | undefined;
}

/** Keys of unknown sizes that are read first: the others are expected to take as much as their mean. */
const FIRST_KEYS = 10;
/** What such an item takes at most: a bug of 350 KB. */
const MAX_KEY_UNITS = 86;
/** Of one call: 2 MB, which take a fraction of the time of an attempt. */
const MAX_CALL_UNITS = 500;
/** Of the calls that run at the same time. */
const MAX_CONCURRENT_UNITS = 800;

/**
 * Reads items that may be large, strongly consistent, in calls of at most 2 MB; absent ones are left out. Where sizes are
 * unknown, ten items are read first. Up to ten share calls with what the request reads in the same tick.
 *
 * @param onRead is called with the items of each call; an error of it ends the reading
 * @param pace of what is read for all requests
 */
export async function readSized<T>(
  table: Table,
  wanted: readonly SizedKey[],
  schema: ItemSchema<T>,
  onRead: (items: T[]) => void,
  pace?: Pacer,
): Promise<void> {
  const areFew = wanted.length <= FIRST_KEYS;
  const unknown = wanted.filter(({ units }) => areFew || units === undefined);
  const known = wanted.filter(({ units }) => !areFew && units !== undefined);
  const [first, rest] = [unknown.slice(0, FIRST_KEYS), unknown.slice(FIRST_KEYS)];
  let mean = 1;
  if (first.length > 0) {
    const taken = (await pace?.take(first.length)) ?? 0;
    const items = await readTogetherAll(table, first, MAX_KEY_UNITS);
    if (pace !== undefined || rest.length > 0) {
      const used = items.reduce((sum, item) => sum + readUnits(sizeOf(item)), 0);
      pace?.settle(taken, used);
      mean = Math.ceil(used / Math.max(1, items.length));
    }
    onRead(parseAll(items, schema));
  }
  const sized = [...known, ...rest.map(({ key }) => ({ key, units: mean }))];
  const unitsOf = ({ units = 1 }: SizedKey) => Math.max(1, units);
  const calls = [...portions(sized, { max: MAX_BATCH_KEYS }, { max: MAX_CALL_UNITS, sizeOf: unitsOf })].map(
    (keys) => ({ keys, units: keys.reduce((sum, one) => sum + unitsOf(one), 0) }),
  );
  const largest = Math.max(1, ...calls.map(({ units }) => units));
  await mapConcurrent(
    calls,
    async ({ keys, units }) => {
      await pace?.take(units);
      const items = await expecting(units, () =>
        readBatch(
          table,
          keys.map(({ key }) => key),
          { onThrottled: () => pace?.slowDown() },
        ),
      );
      onRead(parseAll(items, schema));
    },
    Math.min(MAX_CONCURRENT_CALLS, Math.max(1, Math.floor(MAX_CONCURRENT_UNITS / largest))),
  );
}

const MAX_CONCURRENT_CALLS = 16;

/** @param mayTake read units of an item whose size is unknown */
async function readTogetherAll(
  table: Table,
  wanted: readonly SizedKey[],
  mayTake?: number,
): Promise<Attributes[]> {
  const found = await Promise.all(wanted.map(({ key, units }) => readTogether(table, key, units ?? mayTake)));
  return found.filter((item) => item !== undefined);
}

function keyCondition({ pk, from, to, prefix }: Range): { condition: string; values: Attributes } {
  if (prefix !== undefined) {
    return { condition: 'pk = :pk AND begins_with(sk, :prefix)', values: { ':pk': pk, ':prefix': prefix } };
  }
  if (from !== undefined && to !== undefined) {
    return {
      condition: 'pk = :pk AND sk BETWEEN :from AND :to',
      values: { ':pk': pk, ':from': from, ':to': to },
    };
  }
  return { condition: 'pk = :pk', values: { ':pk': pk } };
}
