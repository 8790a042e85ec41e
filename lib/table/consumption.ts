import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { bytes } from '../base/text.ts';
import { type CapacityUsage, RequestBudget, UNIT_BYTES } from './request-budget.ts';

/** How many lists of unbounded length are read concurrently. */
export const BOUNDED_CONCURRENCY = 2;

/** The budget of a request, and whether what runs is bounded by it. */
const current = new AsyncLocalStorage<{ budget: RequestBudget; isBounded: boolean }>();
const expected = new AsyncLocalStorage<number>();

/** Runs the work of a request: sums up its DynamoDB usage, and bounds it. */
export const withConsumption = <T>(work: () => T): T =>
  current.run({ budget: new RequestBudget(), isBounded: true }, work);

/** The budget of the current request; outside of a request: a new one. */
export const currentBudget = (): RequestBudget => current.getStore()?.budget ?? new RequestBudget();

/**
 * Runs what a process remembers for all requests, such as the search index: it is logged with the request that began it, but
 * counts to no bound of a request. It has a pace of its own.
 */
export function withoutBound<T>(work: () => T): T {
  const store = current.getStore();
  return store === undefined ? work() : current.run({ ...store, isBounded: false }, work);
}

/** Usage of the current request so far; outside of a request: undefined. */
export const currentCapacity = (): CapacityUsage | undefined => current.getStore()?.budget.usage;

/** Adds to the usage of the current request, if there is one. */
export function trackCapacity(amount: Partial<CapacityUsage>): void {
  const total = currentCapacity();
  if (total === undefined) return;
  total.calls += amount.calls ?? 0;
  total.readUnits += amount.readUnits ?? 0;
  total.writeUnits += amount.writeUnits ?? 0;
  total.retries += amount.retries ?? 0;
  total.conflicts += amount.conflicts ?? 0;
}

/** Makes a call whose read units are known before, about. */
export const expecting = <T>(units: number, call: () => T): T => expected.run(units, call);

/**
 * Makes one attempt of a reading call: what it may take is reserved before.
 *
 * @param estimated units, where the caller does not know better
 * @param attempt returns its result with the units that it took
 * @param tookNothing whether an error says that DynamoDB did not execute the call; without a response it may have
 * @throws BugzillaError 503 where the request has read what it may; RetriesExhausted where DynamoDB did not respond so often
 */
export async function reservedAttempt<T>(
  estimated: number,
  attempt: () => Promise<{ result: T; units: number }>,
  tookNothing: (error: unknown) => boolean,
): Promise<T> {
  const store = current.getStore();
  if (store?.isBounded !== true) return (await attempt()).result;
  const { budget } = store;
  budget.calls.take(1);
  const reads = budget.units;
  const units = expected.getStore() ?? estimated;
  await reads.reserve(units);
  try {
    const { result, units: used } = await attempt();
    reads.settle(units, used);
    return result;
  } catch (error) {
    if (tookNothing(error)) reads.settle(units, 0);
    else reads.settleUnanswered(units, error);
    throw error;
  }
}

/** Units of an item whose size is not known: of users, postings, comments. */
export const KEY_UNITS = 2;
/** Units of a batch of such items. */
export const BATCH_UNITS = 200;
/** Units of a page of 1 MB, read strongly consistent. */
export const PAGE_UNITS = 256;

/**
 * Reads a page of a list whose length others decide. Outside of a request nothing is counted.
 *
 * @throws BugzillaError 400 where the request has read what it may of lists
 */
export async function readListPage<T extends Pick<QueryCommandOutput, 'ConsumedCapacity'>>(
  read: () => Promise<T>,
): Promise<T> {
  const lists = current.getStore()?.budget.lists;
  if (lists === undefined) return read();
  await lists.reserve(PAGE_UNITS);
  try {
    const page = await read();
    lists.settle(PAGE_UNITS, page.ConsumedCapacity?.CapacityUnits ?? 0);
    return page;
  } catch (error) {
    lists.settleUnanswered(PAGE_UNITS, error);
    throw error;
  }
}

/** Counts units of lists that were read otherwise. Outside of a request nothing is counted. @throws BugzillaError */
export const countListUnits = (units: number): void => current.getStore()?.budget.lists.count(units);

/** Whether the current request has read fewer than `units` of these lists. */
export const hasReadLess = (units: number): boolean => (current.getStore()?.budget.lists.used ?? 0) < units;

/** DynamoDB allows 400 KB for an item, with its keys and attribute names. */
export const MAX_ITEM_BYTES = 409_600;

/** The size of a value as DynamoDB counts it: strings in UTF-8, lists and maps with an overhead for each element. */
export function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'string') return bytes(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (Array.isArray(value)) return 3 + value.reduce<number>((sum, one) => sum + 1 + sizeOf(one), 0);
  if (typeof value !== 'object' || value === null) return 1;
  return 3 + Object.entries(value).reduce((sum, [name, one]) => sum + 1 + bytes(name) + sizeOf(one), 0);
}

/** The read units that an item of so many bytes takes, strongly consistent. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES));

const requestId = new AsyncLocalStorage<string>();

/** Runs the work of a request, which has an id: what it writes into the change log has it, too. */
export function withRequestId<T>(id: string, work: () => T): T {
  return requestId.run(id, work);
}

/** The id of the current request; outside of a request: undefined. */
export const currentRequestId = (): string | undefined => requestId.getStore();
