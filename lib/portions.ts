/** A limit of the elements of a portion. */
export interface Limit<T> {
  /** at most so much in a portion, unless a single element has more */
  max: number;
  /** what an element takes of it; absent: 1 */
  sizeOf?: (element: T) => number;
}

/** Divides a list, in its order, into as few portions as the limits allow. Of an empty list there are none. */
export function* portions<T>(all: readonly T[], ...limits: Limit<T>[]): Generator<T[]> {
  let portion: T[] = [];
  let sizes = limits.map(() => 0);
  for (const element of all) {
    const added = limits.map(({ sizeOf = () => 1 }) => sizeOf(element));
    const isFull = limits.some(({ max }, at) => (sizes[at] ?? 0) + (added[at] ?? 0) > max);
    if (isFull && portion.length > 0) {
      yield portion;
      portion = [];
      sizes = limits.map(() => 0);
    }
    portion.push(element);
    sizes = sizes.map((size, at) => size + (added[at] ?? 0));
  }
  if (portion.length > 0) yield portion;
}
