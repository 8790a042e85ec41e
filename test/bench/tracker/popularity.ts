import type { Chance } from './random.ts';

/**
 * Draws things the more often, the more often they were drawn before (Simon's process): few become very
 * popular, most stay rare, by Zipf's law.
 */
export class Popularity<T> {
  readonly #drawn: T[] = [];

  /** Brings in something new, as drawn once. */
  add(one: T): void {
    this.#drawn.push(one);
  }

  /** @throws RangeError when nothing was brought in */
  draw(chance: Chance): T {
    const one = chance.of(this.#drawn);
    this.#drawn.push(one);
    return one;
  }
}
