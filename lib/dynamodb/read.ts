import { BatchGetCommand, GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { mapConcurrent } from '../map-concurrent.ts';
import type { Table } from './client.ts';
import type { Key } from './keys.ts';
import { retry, retryUnavailable } from './retry.ts';

/** An item as DynamoDB returns it, not parsed. */
export type Item = Record<string, unknown>;

/** Reads one item, strongly consistent; absent: undefined. */
export async function readItem(table: Table, key: Key): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true });
  const { Item } = await retryUnavailable(table.retryTimeoutMs, () => table.client.send(get));
  return Item;
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
}

/** More items than 1 MB has. DynamoDB refuses numbers over 2,147,483,647. */
const MAX_PAGE_SIZE = 100_000;

/** Reads a range page by page (at most 1 MB each), in the order of the sort keys, strongly consistent. */
export async function* readPages(
  table: Table,
  range: Range,
  { pageSize, isReverse = false }: Paging = {},
): AsyncGenerator<Item[]> {
  const { condition, values } = keyCondition(range);
  let start: Item | undefined;
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
    const page = await retryUnavailable(table.retryTimeoutMs, () => table.client.send(query));
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
    limit = limit === undefined ? undefined : Math.min(limit * 2, MAX_PAGE_SIZE);
  } while (start !== undefined);
}

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
export async function readFirst(
  table: Table,
  range: Range,
  count: number,
  order: 'ascending' | 'descending' = 'ascending',
): Promise<Item[]> {
  const paging = { pageSize: count, isReverse: order === 'descending' };
  for await (const page of readPages(table, range, paging)) return page;
  return [];
}

/** Reads a whole range. */
export async function readRange(table: Table, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of readPages(table, range)) items.push(...page);
  return items;
}

/**
 * Reads the whole table, page by page, strongly consistent: for the operator's commands. The roles of the functions
 * do not allow it.
 *
 * @param sortKey only items with this sort key; absent: all
 */
export async function* scanPages(table: Table, sortKey?: string): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const scan = new ScanCommand({
      TableName: table.name,
      ConsistentRead: true,
      ExclusiveStartKey: start,
      ...(sortKey === undefined
        ? {}
        : { FilterExpression: 'sk = :sk', ExpressionAttributeValues: { ':sk': sortKey } }),
    });
    const page = await retryUnavailable(table.retryTimeoutMs, () => table.client.send(scan));
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

const MAX_BATCH_KEYS = 100;

/**
 * Reads items by their keys, strongly consistent, in no order; absent ones are left out. Keys may repeat.
 *
 * @throws RetriesExhausted when DynamoDB leaves keys unprocessed until the deadline
 */
export async function readItems(table: Table, keys: Key[]): Promise<Item[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const batches: Key[][] = [];
  for (let start = 0; start < distinct.length; start += MAX_BATCH_KEYS) {
    batches.push(distinct.slice(start, start + MAX_BATCH_KEYS));
  }
  return (await mapConcurrent(batches, (batch) => readBatch(table, batch))).flat();
}

async function readBatch(table: Table, batch: Key[]): Promise<Item[]> {
  const found: Item[] = [];
  let pending: Item[] = batch.map((key) => ({ ...key }));
  await retry(table.retryTimeoutMs, async () => {
    const batchGet = { [table.name]: { Keys: pending, ConsistentRead: true } };
    const page = await retryUnavailable(table.retryTimeoutMs, () =>
      table.client.send(new BatchGetCommand({ RequestItems: batchGet })),
    );
    found.push(...(page.Responses?.[table.name] ?? []));
    pending = page.UnprocessedKeys?.[table.name]?.Keys ?? [];
    return pending.length === 0
      ? { done: true, value: undefined }
      : { done: false, reason: 'unprocessed keys' };
  });
  return found;
}

function keyCondition({ pk, from, to, prefix }: Range): { condition: string; values: Item } {
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
