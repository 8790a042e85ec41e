import { errors } from '../../errors.ts';
import { LONG_TEXT } from './compare.ts';

/** Steps of regular expressions, over all texts: about half a second of CPU. */
const MAX_STEPS = 20_000_000;

/** Characters of long texts, once for each word that they are compared with: about a second of CPU. */
const MAX_CHARACTERS = 100_000_000;

/** Comparisons with a word, times the bugs that the index compares: about a second of CPU. */
const MAX_BUG_COMPARISONS = 10_000_000;

/** Charts and terms of a quicksearch. */
const MAX_TERMS = 100;
/** Words of one condition. */
const MAX_WORDS = 100;
/** Words to compare fields with, over all fields. */
const MAX_COMPARISONS = 1_000;

/** The work of the conditions of one search. It is counted, not timed, so that the outcome does not depend on the machine. */
export class SearchWork {
  #steps = 0;
  #characters = 0;
  #terms = 0;
  #comparisons = 0;

  /** @throws errors.patternTooComplex (400, 32000) when the regular expressions of the search need more than a search may */
  countSteps(steps: number, pattern: string): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw errors.patternTooComplex(pattern);
  }

  /** Computes something that does not count: about what the caller may not see. */
  apart<T>(compute: () => T): T {
    const [steps, characters] = [this.#steps, this.#characters];
    [this.#steps, this.#characters] = [0, 0];
    try {
      return compute();
    } finally {
      [this.#steps, this.#characters] = [steps, characters];
    }
  }

  /** @throws errors.searchTooBroad (400, 32000) when so many bugs are too many for the conditions of the search */
  countBugs(bugs: number): void {
    if (bugs * this.#comparisons > MAX_BUG_COMPARISONS) {
      throw errors.searchTooBroad(
        `${MAX_BUG_COMPARISONS / 1_000_000} million comparisons of a bug with a word`,
      );
    }
  }

  /**
   * Counts long texts that are compared with words.
   *
   * @returns true
   * @throws errors.searchTooBroad (400, 32000) when they are too long in all
   */
  countText(texts: readonly string[], words: number): true {
    for (const { length } of texts) if (length > LONG_TEXT) this.#characters += length * words;
    if (this.#characters > MAX_CHARACTERS) {
      throw errors.searchTooBroad(`${MAX_CHARACTERS / 1_000_000} million characters of long texts`);
    }
    return true;
  }

  /** @throws errors.searchTooLong (400, 32000) when the search has more charts and terms than one may */
  countTerms(count: number): void {
    this.#terms += count;
    if (this.#terms > MAX_TERMS) throw errors.searchTooLong(`${MAX_TERMS} charts and quicksearch terms`);
  }

  /**
   * Counts the words that a condition compares its field with.
   *
   * @throws errors.searchTooLong (400, 32000) when the condition, or the search, has more than one may
   */
  countComparisons(words: number): void {
    if (words > MAX_WORDS) throw errors.searchTooLong(`${MAX_WORDS} words in a condition`);
    this.#comparisons += words;
    if (this.#comparisons > MAX_COMPARISONS) {
      throw errors.searchTooLong(`${MAX_COMPARISONS} comparisons of a field with a word`);
    }
  }
}
