import { setTimeout as sleep } from 'node:timers/promises';

/** Holds requests to so many a second, so many at once, and to a pause when the server asks for one. */
export class Pace {
  readonly #apart: number;
  readonly #mostAtOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #next = 0;

  constructor({ perSecond, atOnce }: { perSecond: number; atOnce: number }) {
    this.#apart = 1_000 / perSecond;
    this.#mostAtOnce = atOnce;
  }

  /** Does the work when it is its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#mostAtOnce) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else {
      this.#running += 1;
    }
    try {
      await this.#turn();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Lets nothing begin for so many milliseconds. */
  pause(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds);
  }

  async #turn(): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (now >= this.#next) {
        this.#next = now + this.#apart;
        return;
      }
      await sleep(this.#next - now);
    }
  }
}
