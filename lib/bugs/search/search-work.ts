import { errors } from '../../errors.ts';
import { LONG_TEXT } from './compare.ts';

/** Steps of regular expressions, over all texts: about half a second of CPU. */
const MAX_STEPS = 20_000_000;

/** Characters of long texts, once for each word that they are compared with: about a second of CPU. */
const MAX_CHARACTERS = 100_000_000;

/** Comparisons with a word, times the visible bugs that are compared: at most two seconds of CPU. */
const MAX_BUG_COMPARISONS = 20_000_000;

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
  #bugComparisons = 0;
  #terms = 0;
  #comparisons = 0;

  /** Counts steps of the matcher of regular expressions; a search has a number of them. */
  countSteps(steps: number, pattern: string): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw errors.patternTooComplex(pattern);
  }

  /** Counts a visible bug that all conditions are compared with: hidden ones must not affect what a search may do. */
  countBug(): void {
    this.#bugComparisons += this.#comparisons;
    if (this.#bugComparisons > MAX_BUG_COMPARISONS) {
      throw errors.searchTooBroad(
        `${MAX_BUG_COMPARISONS / 1_000_000} million comparisons of a bug with a word`,
      );
    }
  }

  /**
   * Counts long texts that are compared with words.
   *
   * @returns true
   */
  countText(texts: readonly string[], words: number): true {
    for (const { length } of texts) if (length > LONG_TEXT) this.#characters += length * words;
    if (this.#characters > MAX_CHARACTERS) {
      throw errors.searchTooBroad(`${MAX_CHARACTERS / 1_000_000} million characters of long texts`);
    }
    return true;
  }

  /** Counts the charts and terms of the search. */
  countTerms(count: number): void {
    this.#terms += count;
    if (this.#terms > MAX_TERMS) throw errors.searchTooLong(`${MAX_TERMS} charts and quicksearch terms`);
  }

  /** Counts the words that a condition compares its field with. */
  countComparisons(words: number): void {
    if (words > MAX_WORDS) throw errors.searchTooLong(`${MAX_WORDS} words in a condition`);
    this.#comparisons += words;
    if (this.#comparisons > MAX_COMPARISONS) {
      throw errors.searchTooLong(`${MAX_COMPARISONS} comparisons of a field with a word`);
    }
  }
}
