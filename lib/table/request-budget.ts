import { errors } from '../errors.ts';
import { RetriesExhausted } from './retry.ts';

/** DynamoDB usage of one request. */
export interface CapacityUsage {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** calls repeated by the SDK after an error or throttling */
  retries: number;
  /** writes cancelled because another transaction was writing the same item */
  conflicts: number;
}

/** How much of one thing a request may take. */
interface Bound {
  max: number;
  /** with `allowMore` */
  more?: number;
  /** share by which the bound differs at random, so that callers cannot find out by it what is hidden from them */
  spread?: number;
  /** @param caller to whom a lower bound applies @param detail of what was taken last */
  exceeded(max: number, caller: string, detail: string): Error;
}

/** What may be taken of one thing. */
class Budget {
  #taken = 0;
  #max: number;
  #hasMore = false;
  readonly #bound: Bound;
  readonly #random: number;

  constructor(bound: Bound) {
    this.#bound = bound;
    this.#random = bound.spread === undefined ? 1 : 1 + bound.spread * (2 * Math.random() - 1);
    this.#max = bound.max * this.#random;
  }

  /** What was taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes an amount. @param detail for the error @throws BugzillaError where it is more than is left */
  take(amount: number, detail = ''): void {
    this.#taken += amount;
    if (this.#taken > this.#max) throw this.#exceeded(detail);
  }

  /** @throws BugzillaError where an amount is more than may be taken in all */
  require(amount: number, detail = ''): void {
    if (amount > this.#max) throw this.#exceeded(detail);
  }

  /** Raises the bound to that with an API key, where there is one. */
  allowMore(): void {
    this.#hasMore = true;
    this.#max = (this.#bound.more ?? this.#bound.max) * this.#random;
  }

  #exceeded(detail: string): Error {
    const { max, more, exceeded } = this.#bound;
    if (more === undefined) return exceeded(max, '', detail);
    return this.#hasMore ? exceeded(more, '', detail) : exceeded(max, WITHOUT_KEY, detail);
  }
}

const WITHOUT_KEY = ' for a caller without an API key';
const million = (max: number): number => max / 1_000_000;

/** Read units. More than a search, or lists, may take of what the caller sees: those are refused by a bound of their own. */
const MAX_UNITS = 4_000;
const MORE_UNITS = 12_000;
/** Units that the last call may take more than is left: a page, and an item. */
const LAST_CALL_UNITS = 280;
/** It counts what is hidden, too, so a part of the units differs at random. */
const SPREAD_OF_UNITS = 0.1;
/** Read units of lists in one request: about 13 MB, more than a response holds. */
const MAX_LIST_UNITS = 3_200;
/** Bytes that a read unit reads. */
export const UNIT_BYTES = 4_096;

const listsTooLarge = (): Error =>
  errors.requestTooLarge(
    `at most ${Math.floor(million(MAX_LIST_UNITS * UNIT_BYTES))} MB of changes, attachments and members of groups`,
  );

const spreadUnits = (units: number): number =>
  Math.round((units - LAST_CALL_UNITS) * (1 - SPREAD_OF_UNITS * Math.random()));

/** The bounds of what one request takes. */
const BOUNDS = {
  /** attempts of reading calls */
  calls: { max: 2_000, more: 6_000, exceeded: errors.readsTooMuch },
  /** bugs whose comments or history a search reads, and people: each needs a call of its own */
  costlyReads: {
    ...{ max: 500, more: 1_000 },
    exceeded: (max, caller, hint) =>
      errors.searchTooBroad(`the comments or changes of ${max} bugs, or ${max} people${caller}${hint}`),
  },
  /** of bugs, comments, histories and lists of attachments that a search reads, as far as the caller sees them; of 4 KB */
  searchedUnits: {
    ...{ max: 3_200, more: 9_000 },
    exceeded: (max, caller) => errors.searchTooBroad(`${max} bugs and comments of 4 KB${caller}`),
  },
  /** of the word index. Which ones are in hidden bugs is not known when they are counted. */
  postings: {
    ...{ max: 80_000, more: 300_000, spread: 0.25 },
    exceeded: (max, caller) => errors.searchTooBroad(`about ${max} hits of words in comments${caller}`),
  },
  /** characters of comments of bugs that a search reads */
  comments: {
    max: 16_000_000,
    exceeded: (max) => errors.searchTooBroad(`${million(max)} MB of comments`),
  },
  /** the same of comments that the word index names */
  namedComments: {
    max: 64_000_000,
    exceeded: (max) => errors.searchTooBroad(`${million(max)} MB of comments`),
  },
  /** bytes of attachments that a search reads */
  data: {
    max: 16_000_000,
    exceeded: (max) => errors.searchTooBroad(`${million(max)} MB of attachments`),
  },
  /** charts, and terms of a quicksearch */
  terms: {
    max: 100,
    exceeded: (max) => errors.searchTooLong(`${max} charts and quicksearch terms`),
  },
  /** words to compare fields with, over all fields */
  comparisons: {
    max: 1_000,
    exceeded: (max) => errors.searchTooLong(`${max} comparisons of a field with a word`),
  },
  /** comparisons, times the visible bugs that are compared: at most two seconds of CPU */
  bugComparisons: {
    max: 20_000_000,
    exceeded: (max) => errors.searchTooBroad(`${million(max)} million comparisons of a bug with a word`),
  },
  /** characters of long texts, once for each word that they are compared with: about a second of CPU */
  longTexts: {
    max: 100_000_000,
    exceeded: (max) => errors.searchTooBroad(`${million(max)} million characters of long texts`),
  },
  /** steps of regular expressions, over all texts: about half a second of CPU */
  patternSteps: {
    max: 20_000_000,
    exceeded: (_, __, pattern) => errors.patternTooComplex(pattern),
  },
} satisfies Record<string, Bound>;

/**
 * What one request of any caller has taken, and may take: calls, read units, bytes and computation, each from a budget
 * with a name, together about a second of processor time. What is computed is counted, not timed, so that the outcome does
 * not depend on the machine. README.md says what a team of 50,000 bugs with 500,000 comments needs of it in a day.
 */
export class RequestBudget {
  readonly usage: CapacityUsage = { calls: 0, readUnits: 0, writeUnits: 0, retries: 0, conflicts: 0 };

  /** read units of all calls */
  readonly units = new UnitBudget(spreadUnits(MAX_UNITS), errors.readsTooMuch);
  /** read units of lists whose length others decide: histories, attachments, members of groups */
  readonly lists = new UnitBudget(MAX_LIST_UNITS, listsTooLarge);
  readonly calls = new Budget(BOUNDS.calls);
  readonly costlyReads = new Budget(BOUNDS.costlyReads);
  readonly searchedUnits = new Budget(BOUNDS.searchedUnits);
  readonly postings = new Budget(BOUNDS.postings);
  readonly comments = new Budget(BOUNDS.comments);
  readonly namedComments = new Budget(BOUNDS.namedComments);
  readonly data = new Budget(BOUNDS.data);
  readonly terms = new Budget(BOUNDS.terms);
  readonly comparisons = new Budget(BOUNDS.comparisons);
  readonly bugComparisons = new Budget(BOUNDS.bugComparisons);
  readonly longTexts = new Budget(BOUNDS.longTexts);
  readonly patternSteps = new Budget(BOUNDS.patternSteps);

  /** Allows three times as many calls and units, and more of what a search reads: for what README.md lists. */
  allowMore(): void {
    this.units.limit(spreadUnits(MORE_UNITS));
    for (const budget of [this.calls, this.costlyReads, this.searchedUnits, this.postings])
      budget.allowMore();
  }
}

/**
 * Read units that calls may take together. What a call may take is reserved before it, and settled after it, so that calls
 * that run at the same time see what the others may take.
 */
export class UnitBudget {
  #used = 0;
  /** of calls that run */
  #reserved = 0;
  #max: number;
  #waiting: (() => void)[] = [];
  /** of calls without a response, which may not have used them */
  #unanswered = 0;
  /** why the last one of these had none */
  #cause: unknown;
  readonly #exceeded: () => Error;

  /** @param exceeded makes the error of a call that would begin after everything is used */
  constructor(max: number, exceeded: () => Error) {
    this.#max = max;
    this.#exceeded = exceeded;
  }

  /** Units that were used. */
  get used(): number {
    return this.#used;
  }

  /** Changes how many units there are. */
  limit(max: number): void {
    this.#max = max;
  }

  /** Counts units that were used. @throws as `reserve`, where they are more than it has */
  count(units: number): void {
    this.#used += units;
    if (this.#used > this.#max) throw this.#refusal();
  }

  /**
   * Reserves what a call may take. Where that does not fit, it waits for the calls that run; alone, a call may take more than
   * is left, so that the budget is exceeded by one call at most.
   *
   * @throws the error of the budget where nothing is left; RetriesExhausted where that is due to calls without a response
   */
  async reserve(units: number): Promise<void> {
    for (;;) {
      const left = this.#max - this.#used;
      if (left < 0 || (left === 0 && units > 0)) throw this.#refusal();
      if (this.#reserved === 0 || this.#reserved + units <= left) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#reserved += units;
  }

  #refusal(): Error {
    if (this.#unanswered === 0 || this.#used - this.#unanswered >= this.#max) return this.#exceeded();
    return new RetriesExhausted('DynamoDB did not respond to as many calls as a request may make', {
      cause: this.#cause,
    });
  }

  /** Says that a call had no response: it may have used what was reserved for it. @param cause its error */
  settleUnanswered(reserved: number, cause: unknown): void {
    this.#unanswered += reserved;
    this.#cause = cause;
    this.settle(reserved, reserved);
  }

  /** Says what a call has used of what was reserved for it. */
  settle(reserved: number, used: number): void {
    this.#reserved -= reserved;
    this.#used += used;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
