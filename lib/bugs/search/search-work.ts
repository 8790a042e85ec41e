import { errors } from '../../errors.ts';

/** States of a regular expression that are visited, over all texts: about half a second of CPU. */
const MAX_STEPS = 20_000_000;

/** What the conditions of one search compute together. It is counted, not timed, so that equal searches end equally. */
export class SearchWork {
  #steps = 0;

  /** @throws errors.patternTooComplex (400, 32000) when the regular expressions of the search need more than a search may */
  countSteps(steps: number, pattern: string): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw errors.patternTooComplex(pattern);
  }
}
