import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mapConcurrent } from '../map-concurrent.ts';
import type { Table } from './client.ts';
import type { Key } from './keys.ts';
import { retry } from './retry.ts';

/** An item as the table gives it, not yet parsed. */
export type Item = Record<string, unknown>;

/** Reads one item, with all writes before it; absent: undefined. */
export async function readItem(table: Table, key: Key): Promise<Item | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }),
  );
  return Item;
}

/** A range of one partition: all of it, the sort keys from `from` to `to` (inclusive), or those with a prefix. */
export interface Range {
  pk: string;
  from?: string;
  to?: string;
  prefix?: string;
}

/** Reads a range page by page (at most 1 MB each), in the order of the sort keys, with all writes before it. */
export async function* readPages(table: Table, range: Range): AsyncGenerator<Item[]> {
  const { condition, values } = keyCondition(range);
  let start: Item | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: condition,
        ExpressionAttributeValues: values,
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** Reads the first page at once, the others when they are asked for. */
export function prefetch<T>(pages: AsyncGenerator<T>): AsyncIterable<T> {
  const first = pages.next();
  // When the request is refused meanwhile nobody asks for the page any more.
  first.catch(() => undefined);
  return (async function* () {
    const { value, done } = await first;
    if (done !== true) {
      yield value;
      yield* pages;
    }
  })();
}

/** Reads the first items of a range: at most `count`, and at most 1 MB. */
export async function readFirst(table: Table, range: Range, count: number): Promise<Item[]> {
  const { condition, values } = keyCondition(range);
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: condition,
      ExpressionAttributeValues: values,
      ConsistentRead: true,
      Limit: count,
    }),
  );
  return Items ?? [];
}

/** Reads a range to its end. */
export async function readRange(table: Table, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of readPages(table, range)) items.push(...page);
  return items;
}

const MAX_BATCH_KEYS = 100;

/**
 * Reads items by their keys, in no order; absent ones are left out. Keys may repeat.
 *
 * @throws RetriesExhausted when the table keeps leaving keys unprocessed
 */
export async function readItems(table: Table, keys: Key[]): Promise<Item[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const batches: Key[][] = [];
  for (let at = 0; at < distinct.length; at += MAX_BATCH_KEYS) {
    batches.push(distinct.slice(at, at + MAX_BATCH_KEYS));
  }
  return (await mapConcurrent(batches, (batch) => readBatch(table, batch))).flat();
}

async function readBatch(table: Table, batch: Key[]): Promise<Item[]> {
  const found: Item[] = [];
  let left: Item[] = batch.map((key) => ({ ...key }));
  await retry(table.retryTimeoutMs, async () => {
    const answer = await table.client.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: left, ConsistentRead: true } } }),
    );
    found.push(...(answer.Responses?.[table.name] ?? []));
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
    return left.length === 0 ? { done: true, value: undefined } : { done: false, reason: 'unprocessed keys' };
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
