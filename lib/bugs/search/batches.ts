const FIRST_BATCH = 25;
/** Bugs that are read together at most. */
export const MAX_BATCH = 1_600;

/** Batches of increasing size, so that a small limit reads few bugs. */
export async function* batches<T>(
  candidates: AsyncIterable<T> | Iterable<T>,
  needed: number,
): AsyncGenerator<T[]> {
  let size = Math.min(Math.max(needed, FIRST_BATCH), MAX_BATCH);
  let batch: T[] = [];
  for await (const candidate of candidates) {
    batch.push(candidate);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = Math.min(size * 2, MAX_BATCH);
  }
  if (batch.length > 0) yield batch;
}
