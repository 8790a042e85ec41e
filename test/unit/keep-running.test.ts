import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepRunning } from '../../infra/local/database/database.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs a database that ends at these times (seconds) by itself. @returns what is said, and how often it was started */
async function endingAt(times: readonly number[], isInMemory = false) {
  const left = [...times];
  const clock = vi.spyOn(performance, 'now');
  const reports: string[] = [];
  const failures: string[] = [];
  const restart = vi.fn(async () => undefined);
  const ended = async () => {
    const time = left.shift();
    if (time === undefined) return undefined;
    clock.mockReturnValue(time * 1_000);
    return 'exit code 1\nThe disk is full';
  };
  await keepRunning(
    { ended, restart },
    isInMemory,
    (line) => reports.push(line),
    (reason) => failures.push(reason),
  );
  return { reports, failures, restarts: restart.mock.calls.length };
}

describe('a database that ends by itself', () => {
  it('is started again, with one line', async () => {
    expect(await endingAt([1])).toEqual({
      reports: ['The database ended (exit code 1). It is started again on the same data.'],
      failures: [],
      restarts: 1,
    });
  });

  it('is started three times within a minute, and not again', async () => {
    const { failures, restarts } = await endingAt([1, 2, 3, 4, 5]);
    expect(failures).toEqual(['The database ended 4 times within a minute: exit code 1\nThe disk is full']);
    expect(restarts).toBe(3);
  });

  it('is started more often in a longer time', async () => {
    expect(await endingAt([1, 2, 3, 62, 63])).toMatchObject({ failures: [], restarts: 5 });
  });

  it('is not started again where its data was in memory', async () => {
    expect(await endingAt([1], true)).toEqual({
      reports: [],
      failures: [
        'The database ended, and with it its data, which was in memory only: exit code 1\nThe disk is full',
      ],
      restarts: 0,
    });
  });
});
