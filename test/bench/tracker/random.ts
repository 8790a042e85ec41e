import { randomNumbers } from '../../support/random.ts';

/** Draws lots; for the same seed always the same. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  /** True in `share` of all cases. */
  happens(share: number): boolean {
    return this.#next() < share;
  }

  /** A whole number from 0 on, below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /**
   * One of them, each as likely as any other.
   *
   * @throws RangeError when there is none
   */
  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new RangeError('There is nothing to choose from');
    return one;
  }

  /** Positive numbers, half of them below `median`, whose logarithms are normal with the deviation `spread`. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#next()));
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.#next()));
  }

  /** Positive numbers with this mean, as the gaps between things that happen by chance. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.#next());
  }
}
