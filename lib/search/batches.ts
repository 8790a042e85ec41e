const FIRST_BATCH = 25;
/** Bugs that are read together at most. */
export const MAX_BATCH = 1_600;

/** Read units of bugs that are read together, about: 16 MB. */
const MAX_BATCH_UNITS = 4_000;

/**
 * Batches of increasing size, so that a small limit reads few bugs.
 *
 * @param unitsOf read units that one may take
 */
export async function* batches<T>(
  candidates: AsyncIterable<T> | Iterable<T>,
  needed: number,
  unitsOf: (candidate: T) => number,
): AsyncGenerator<T[]> {
  let size = Math.min(Math.max(needed, FIRST_BATCH), MAX_BATCH);
  let batch: T[] = [];
  let units = 0;
  for await (const candidate of candidates) {
    batch.push(candidate);
    units += unitsOf(candidate);
    if (batch.length < size && units < MAX_BATCH_UNITS) continue;
    yield batch;
    batch = [];
    units = 0;
    size = Math.min(size * 2, MAX_BATCH);
  }
  if (batch.length > 0) yield batch;
}
