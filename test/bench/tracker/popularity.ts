import type { Random } from './random.ts';

/**
 * Preferential attachment (Simon's process): the probability of an element grows with the number of its draws, so that
 * popularity follows Zipf's law.
 */
export class Popularity<T> {
  readonly #drawn: T[] = [];

  /** Adds an element, as drawn once. */
  add(one: T): void {
    this.#drawn.push(one);
  }

  /** @throws RangeError when there are no elements */
  draw(random: Random): T {
    const one = random.of(this.#drawn);
    this.#drawn.push(one);
    return one;
  }
}
