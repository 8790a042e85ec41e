/**
 * Does the work for each of all, some at a time. After a failure no more is begun.
 *
 * @throws what the first failing work throws, once none is under way
 */
export async function eachOf<T>(all: T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    for (const one of left) {
      if (failure !== undefined) return;
      await work(one).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failure !== undefined) throw failure.error;
}
