import { lowerBound } from '../../../lib/base/collections.ts';

/** Words of bugs that are in memory at once, of about 20 bytes. */
const MAX_WORDS = 10_000_000;

/** A word of a bug. */
export interface BugWord {
  word: string;
  bug: number;
  /** whether only private comments have it */
  isPrivate: boolean;
}

/** How two sets of words differ. */
export interface Comparison {
  /** the bugs with words that the index lacks */
  incomplete: Set<number>;
  /** whether the index lacks a word, of those that are compared */
  isMissing(word: BugWord): boolean;
}

/**
 * The words of bugs that the word index has, and those that their comments have: a hash join, which takes no reads. Sets
 * that are too large are divided by hash, and one part of each is kept.
 */
export class WordSets {
  readonly #indexed = new NumberList();
  readonly #used = new NumberList();
  /** of `#used` */
  readonly #bugs = new NumberList();
  readonly #part: number;
  /** of each set; more when dividing does not help, because the same words come again */
  #max: number;
  #parts: number;

  /**
   * @param part which is kept
   * @param parts at first, a power of two
   * @param max words of each set
   */
  constructor({ part = 0, parts = 1, max = MAX_WORDS } = {}) {
    this.#part = part;
    this.#parts = parts;
    this.#max = max;
  }

  /** Into how many parts the sets are divided by now. */
  get parts(): number {
    return this.#parts;
  }

  /** Adds a word that the index has. */
  addIndexed(word: BugWord): void {
    const code = codeOf(word);
    if (!this.#isKept(code)) return;
    this.#indexed.push(code);
    if (this.#indexed.length > this.#max) this.#divide();
  }

  /** Adds a word that a comment has. */
  addUsed(word: BugWord): void {
    const code = codeOf(word);
    if (!this.#isKept(code)) return;
    this.#used.push(code);
    this.#bugs.push(word.bug);
    if (this.#used.length > this.#max) this.#divide();
  }

  /**
   * Compares the sets, which cannot be used after that.
   *
   * @returns how they differ
   */
  compare(): Comparison {
    const indexed = this.#indexed.values.sort();
    const bugs = this.#bugs.values;
    const incomplete = new Set<number>();
    // A public posting is found by those who may see private comments, too.
    const isIndexed = (code: number) => has(indexed, code) || has(indexed, code - (code % 2));
    for (const [at, code] of this.#used.values.entries()) {
      if (!isIndexed(code)) incomplete.add(bugs[at] ?? 0);
    }
    const isMissing = (word: BugWord) => {
      const code = codeOf(word);
      return this.#isKept(code) && !isIndexed(code);
    };
    return { incomplete, isMissing };
  }

  #isKept(code: number): boolean {
    return this.#parts === 1 || Math.floor(code / 2) % this.#parts === this.#part;
  }

  #divide(): void {
    this.#parts *= 2;
    this.#indexed.keep((code) => this.#isKept(code));
    const used = this.#used.values.slice();
    this.#used.keep((code) => this.#isKept(code));
    this.#bugs.keep((_, at) => this.#isKept(used[at] ?? 0));
    this.#max = Math.max(this.#max, 2 * this.#indexed.length, 2 * this.#used.length);
  }
}

/** Whether a sorted list has a number. */
const has = (sorted: Float64Array, wanted: number): boolean => sorted[lowerBound(sorted, wanted)] === wanted;

/** A list of numbers, of 8 bytes each. */
class NumberList {
  #numbers = new Float64Array(1_024);
  length = 0;

  /** not copied */
  get values(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  keep(isKept: (number: number, at: number) => boolean): void {
    const { values } = this;
    this.length = 0;
    for (const [at, number] of values.entries()) if (isKept(number, at)) this.push(number);
  }
}

/** 52 bits of a hash of word and bug, and one that says whether the word is private. */
function codeOf({ word, bug, isPrivate }: BugWord): number {
  let [high, low] = [Math.imul(bug, 0x9e3779b1) ^ 0xdeadbeef, Math.imul(bug, 0x5f356495) ^ 0x41c6ce57];
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return ((high & 0xfffff) * 0x1_0000_0000 + (low >>> 0)) * 2 + Number(isPrivate);
}
