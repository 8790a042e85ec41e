import { randomNumbers } from '../../support/random.ts';

/** Seeded random choices. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  /** True with the probability `share`. */
  happens(share: number): boolean {
    return this.#next() < share;
  }

  /** An integer from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /**
   * An element, with equal probability.
   *
   * @throws RangeError when the list is empty
   */
  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new RangeError('The list is empty');
    return one;
  }

  /** Log-normal numbers; `spread` is the standard deviation of their logarithms. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#next()));
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.#next()));
  }

  /** Exponentially distributed numbers: the intervals of a Poisson process. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.#next());
  }
}
