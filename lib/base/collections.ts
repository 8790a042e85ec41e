/** A limit of the elements of a portion. */
export interface Limit<T> {
  /** at most so much in a portion, unless a single element has more */
  max: number;
  /** what an element takes of it; absent: 1 */
  sizeOf?: (element: T) => number;
}

/** Divides a list, in its order, into as few portions as the limits allow. Of an empty list there are none. */
export function* portions<T>(all: readonly T[], ...limits: Limit<T>[]): Generator<T[]> {
  const divider = dividerOf(limits);
  for (const element of all) yield* divider.add(element);
  yield* divider.rest();
}

/** The same for elements that are read while they are divided. When that fails, those read before come first. */
export async function* asyncPortions<T>(
  all: Iterable<T> | AsyncIterable<T>,
  ...limits: Limit<T>[]
): AsyncGenerator<T[]> {
  const divider = dividerOf(limits);
  try {
    for await (const element of all) yield* divider.add(element);
  } catch (error) {
    yield* divider.rest();
    throw error;
  }
  yield* divider.rest();
}

function dividerOf<T>(limits: Limit<T>[]) {
  let portion: T[] = [];
  let sizes = limits.map(() => 0);
  return {
    /** @returns the portion that is full without the element, if it is */
    add(element: T): T[][] {
      const added = limits.map(({ sizeOf = () => 1 }) => sizeOf(element));
      const isFull = limits.some(({ max }, at) => (sizes[at] ?? 0) + (added[at] ?? 0) > max);
      const full = isFull && portion.length > 0 ? [portion] : [];
      if (full.length > 0) {
        portion = [];
        sizes = limits.map(() => 0);
      }
      portion.push(element);
      sizes = sizes.map((size, at) => size + (added[at] ?? 0));
      return full;
    },
    rest: (): T[][] => (portion.length > 0 ? [portion] : []),
  };
}

const DEFAULT_CONCURRENCY = 16;

/**
 * Applies `work` to each item, a limited number at a time. After a failure no further work is started.
 *
 * @param concurrency how many run at the same time
 * @returns the results in the order of `items`
 * @throws what the first failing item (in the order of `items`) throws, after all started work has settled
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  concurrency = DEFAULT_CONCURRENCY,
): Promise<R[]> {
  const results: R[] = [];
  const failures: { index: number; error: unknown }[] = [];
  const remaining = items.entries();
  const worker = async () => {
    for (const [index, item] of remaining) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push({ index, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  const [first] = failures.sort((a, b) => a.index - b.index);
  if (first !== undefined) throw first.error;
  return results;
}

/** The first place in sorted numbers that is not before a number: binary search. */
export function lowerBound(sorted: Float64Array, wanted: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The values of a field before and after a change. */
export interface Difference<T = string> {
  removed: T;
  added: T;
}

/** What differs between the fields of something before and after a change, by field. */
export const differences = <T extends string | null>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): Record<string, Difference<T>> =>
  Object.fromEntries(
    Object.entries(before).flatMap(([field, removed]) => {
      const added = after[field];
      return added === undefined || added === removed ? [] : [[field, { added, removed }]];
    }),
  );

/** What an update did to an item, as responses have it: the fields that differ. */
export interface UpdateResult {
  id: number;
  changes: Record<string, Difference>;
}

/** A boolean as histories and changes have it. */
export const bit = (value: boolean): string => (value ? '1' : '0');

/** Elements in their order, those with the same id once. */
export const distinctById = <T extends { id: number }>(all: readonly T[]): T[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
];

/** Numbers by value, each once. */
export const sortedNumbers = (numbers: readonly number[]): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);
