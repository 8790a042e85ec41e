import { setTimeout as sleep } from 'node:timers/promises';

/** Limits the rate and the concurrency of requests. */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #concurrency: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  /** when the next request may start, on the clock of `performance.now` */
  #nextStart = 0;

  constructor({ perSecond, concurrency }: { perSecond: number; concurrency: number }) {
    this.#intervalMs = 1_000 / perSecond;
    this.#concurrency = concurrency;
  }

  /** Runs `work` as soon as the limits allow it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) {
      await new Promise<void>((resume) => this.#queue.push(resume));
    } else {
      this.#running += 1;
    }
    try {
      await this.#waitForStart();
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Starts no request for so many milliseconds. */
  pause(milliseconds: number): void {
    this.#nextStart = Math.max(this.#nextStart, performance.now() + milliseconds);
  }

  async #waitForStart(): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (now >= this.#nextStart) {
        this.#nextStart = now + this.#intervalMs;
        return;
      }
      await sleep(this.#nextStart - now);
    }
  }
}
