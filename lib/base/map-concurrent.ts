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
