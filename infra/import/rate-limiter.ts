import { setTimeout as sleep } from 'node:timers/promises';

/** Limits the rate and the concurrency of requests. */
export function rateLimiter(perSecond: number, concurrency: number) {
  const queue: (() => void)[] = [];
  let running = 0;
  /** when the next request may start, on the clock of `performance.now` */
  let nextStart = 0;

  async function waitForStart(): Promise<void> {
    for (let now = performance.now(); now < nextStart; now = performance.now()) await sleep(nextStart - now);
    nextStart = performance.now() + 1_000 / perSecond;
  }

  return {
    /** Runs `work` as soon as the limits allow it. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (running < concurrency) running += 1;
      else await new Promise<void>((resume) => queue.push(resume));
      try {
        await waitForStart();
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },

    /** Starts no request for so many milliseconds. */
    pause(milliseconds: number): void {
      nextStart = Math.max(nextStart, performance.now() + milliseconds);
    },
  };
}
