import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { mapConcurrent, portions } from '../base/collections.ts';
import type { Table } from './client.ts';
import { currentCapacity, expecting, KEY_UNITS } from './consumption.ts';
import { type Attributes, type Key, keyText } from './keys.ts';
import { deadline, retry, retryUnavailable } from './retry.ts';

/** Keys that DynamoDB allows in a batch. */
export const MAX_BATCH_KEYS = 100;

/** A key that is to be read, and who waits for its item. */
interface Load {
  key: Key;
  /** read units that the item may take */
  units: number;
  item: Promise<Attributes | undefined>;
  resolve(item: Attributes | undefined): void;
  reject(error: unknown): void;
}

/** What is asked for in one tick, by key. */
interface Round {
  table: Table;
  deadline: number;
  loads: Map<string, Load>;
}

/** The open round of each request; outside of requests, of each table. */
const rounds = new WeakMap<object, Round>();

/**
 * Reads one item, strongly consistent, together with the others that the request asks for in the same tick: one key by
 * GetItem, several by BatchGetItem, each once (the pattern *dataloader*). Nothing is kept: what is asked for later is read
 * again.
 *
 * @param units read units that the item may take
 * @returns absent: undefined
 * @throws RetriesExhausted when DynamoDB is unavailable until the deadline
 */
export function readTogether(
  table: Table,
  key: Key,
  units: number = KEY_UNITS,
): Promise<Attributes | undefined> {
  const scope = currentCapacity() ?? table;
  let round = rounds.get(scope);
  if (round?.table !== table || round.deadline !== deadline()) {
    const opened: Round = { table, deadline: deadline(), loads: new Map() };
    round = opened;
    rounds.set(scope, opened);
    // After the promises that are settled already, whose continuations may ask for items, too.
    Promise.resolve().then(() =>
      process.nextTick(() => {
        if (rounds.get(scope) === opened) rounds.delete(scope);
        readRound(opened);
      }),
    );
  }
  const name = keyText(key);
  const load = round.loads.get(name) ?? { key, units, ...deferred() };
  round.loads.set(name, load);
  return load.item;
}

function deferred(): Omit<Load, 'key' | 'units'> {
  const { promise, resolve, reject } = Promise.withResolvers<Attributes | undefined>();
  return { item: promise, resolve, reject };
}

function readRound({ table, loads }: Round): void {
  const batches = [...portions([...loads.values()], { max: MAX_BATCH_KEYS })];
  // Errors are those of the loads.
  void mapConcurrent(batches, (batch) => readLoads(table, batch));
}

async function readLoads(table: Table, batch: Load[]): Promise<void> {
  try {
    const [first, ...others] = batch;
    if (first !== undefined && others.length === 0) {
      first.resolve(await expecting(first.units, () => readOne(table, first.key)));
      return;
    }
    const keys = batch.map(({ key }) => key);
    const units = batch.reduce((sum, load) => sum + load.units, 0);
    const items = await expecting(units, () => readBatch(table, keys));
    const keyOfItem = (item: Attributes) => keyText({ pk: String(item['pk']), sk: String(item['sk']) });
    const found = new Map(items.map((item) => [keyOfItem(item), item]));
    for (const { key, resolve } of batch) resolve(found.get(keyText(key)));
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

async function readOne(table: Table, key: Key): Promise<Attributes | undefined> {
  const get = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  return (await retryUnavailable(table.retryTimeoutMs, () => table.client.send(get))).Item;
}

/** How to read a batch. */
export interface BatchReading {
  isConsistent?: boolean;
  onThrottled?: () => void;
}

/**
 * Reads up to 100 items, in no order; absent ones are left out. Keys that DynamoDB leaves unprocessed are read again.
 *
 * @throws RetriesExhausted when DynamoDB leaves keys unprocessed until the deadline
 */
export async function readBatch(
  table: Table,
  batch: Key[],
  { isConsistent = true, onThrottled = () => undefined }: BatchReading = {},
): Promise<Attributes[]> {
  const found: Attributes[] = [];
  let pending: (Key | Attributes)[] = batch;
  await retry(table.retryTimeoutMs, async () => {
    const batchGet = { [table.name]: { Keys: pending, ConsistentRead: isConsistent } };
    const page = await retryUnavailable(table.retryTimeoutMs, () =>
      table.client.send(new BatchGetCommand({ RequestItems: batchGet })),
    );
    found.push(...(page.Responses?.[table.name] ?? []));
    pending = page.UnprocessedKeys?.[table.name]?.Keys ?? [];
    if (pending.length > 0 || (page.$metadata.attempts ?? 1) > 1) onThrottled();
    return pending.length === 0
      ? { done: true, value: undefined }
      : { done: false, reason: 'unprocessed keys' };
  });
  return found;
}
