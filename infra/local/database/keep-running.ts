import type { DatabaseServer } from './server-process.ts';

const MAX_RESTARTS = 3;
const PERIOD_MS = 60_000;

/**
 * Starts a database again, on the same data, whenever it ends by itself: at most three times within a minute. What was in
 * memory is lost with it, so that such a database is not started again: what clients have written would be gone without a word.
 *
 * @param report receives a line for each start
 * @param fail receives why there is no database any more
 */
export async function keepRunning(
  { ended, restart }: Pick<DatabaseServer, 'ended' | 'restart'>,
  isInMemory: boolean,
  report: (line: string) => void,
  fail: (reason: string) => void,
): Promise<void> {
  let restarts: number[] = [];
  for (let reason = await ended(); reason !== undefined; reason = await ended()) {
    const now = performance.now();
    restarts = [...restarts.filter((time) => now - time < PERIOD_MS), now];
    if (isInMemory) {
      return fail(`The database ended, and with it its data, which was in memory only: ${reason}`);
    }
    if (restarts.length > MAX_RESTARTS) {
      return fail(`The database ended ${restarts.length} times within a minute: ${reason}`);
    }
    const [cause] = reason.split('\n');
    report(`The database ended (${cause}). It is started again on the same data.`);
    // Where it fails, it has ended again.
    await restart().catch(() => undefined);
  }
}
