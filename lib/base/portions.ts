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
