import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { errors } from '../errors.ts';
import { UnitBudget } from './unit-budget.ts';

/** DynamoDB usage of one request. */
export interface CapacityUsage {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** calls repeated by the SDK after an error or throttling */
  retries: number;
  /** writes cancelled because another transaction was writing the same item */
  conflicts: number;
}

/** What a request has taken of DynamoDB, and what it may take. */
interface Consumption {
  usage: CapacityUsage;
  /** of all its reads; undefined: what several requests share */
  reads: UnitBudget | undefined;
  /** attempts of reading calls that it may begin */
  callsLeft: number;
  /** whether it may read three times as much */
  hasMore: boolean;
  /** of lists whose length others decide: histories, attachments, members of groups */
  lists: UnitBudget;
}

/**
 * What one request may read, whoever sends it: about a second of processor time. More than what its search, or its lists, may
 * take of what the caller sees, which is refused by a bound of their own. It counts what is hidden, too, so a part of the
 * units differs at random: callers cannot find out by it what is hidden from them.
 */
const MAX_READS = { calls: 2_000, units: 4_000 };
/** Units that the last call may take more than is left: a page, and an item. */
const LAST_CALL_UNITS = 280;
const SPREAD = 0.1;
/** For what a team of 50,000 bugs with 500,000 comments needs in a day: README.md */
const MORE_READS = 3;
/** Read units of lists in one request: about 13 MB, more than a response holds. */
const MAX_LIST_UNITS = 3_200;
const UNIT_BYTES = 4_096;

/** How many lists of unbounded length are read concurrently. */
export const BOUNDED_CONCURRENCY = 2;

const current = new AsyncLocalStorage<Consumption>();
const expected = new AsyncLocalStorage<number>();

/** Runs the work of a request: sums up its DynamoDB usage, and bounds it. */
export function withConsumption<T>(work: () => T): T {
  return current.run(
    {
      usage: { calls: 0, readUnits: 0, writeUnits: 0, retries: 0, conflicts: 0 },
      reads: new UnitBudget(spread(MAX_READS.units), errors.readsTooMuch),
      callsLeft: MAX_READS.calls,
      hasMore: false,
      lists: new UnitBudget(MAX_LIST_UNITS, () =>
        errors.requestTooLarge(
          `at most ${Math.floor((MAX_LIST_UNITS * UNIT_BYTES) / 1_000_000)} MB of changes, attachments and members of groups`,
        ),
      ),
    },
    work,
  );
}

const spread = (units: number): number =>
  Math.round((units - LAST_CALL_UNITS) * (1 - SPREAD * Math.random()));

/** Lets the current request read three times as much: for what README.md lists. */
export function allowMoreReads(): void {
  const consumption = current.getStore();
  if (consumption?.reads === undefined || consumption.hasMore) return;
  consumption.hasMore = true;
  consumption.reads.limit(spread(MORE_READS * MAX_READS.units));
  consumption.callsLeft += (MORE_READS - 1) * MAX_READS.calls;
}

/**
 * Runs what a process remembers for all requests, such as the search index: it is logged with the request that began it, but
 * counts to no bound of a request. It has a pace of its own.
 */
export function withoutBound<T>(work: () => T): T {
  const consumption = current.getStore();
  return consumption === undefined ? work() : current.run({ ...consumption, reads: undefined }, work);
}

/** Usage of the current request so far; outside of a request: undefined. */
export function currentCapacity(): CapacityUsage | undefined {
  return current.getStore()?.usage;
}

/** Adds to the usage of the current request, if there is one. */
export function trackCapacity(amount: Partial<CapacityUsage>): void {
  const total = current.getStore()?.usage;
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
  const consumption = current.getStore();
  if (consumption?.reads === undefined) return (await attempt()).result;
  const { reads } = consumption;
  consumption.callsLeft -= 1;
  if (consumption.callsLeft < 0) throw errors.readsTooMuch();
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
  const lists = current.getStore()?.lists;
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
export const countListUnits = (units: number): void => current.getStore()?.lists.count(units);

/** Whether the current request has read fewer than `units` of these lists. */
export const hasReadLess = (units: number): boolean => (current.getStore()?.lists.used ?? 0) < units;
