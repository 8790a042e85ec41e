import { timestamp } from '../../../lib/time.ts';
import { Bugs } from './bugs.ts';
import { Builds } from './build-comments.ts';
import type { History } from './history.ts';
import { Ids } from './ids.ts';
import { Ledger, type TableItem } from './ledger.ts';
import { Products } from './products.ts';
import { Random } from './random.ts';
import { Tags } from './tags.ts';
import { People } from './users.ts';
import { Words } from './words.ts';

/** Shares of events; the rest are comments. */
const NEW_PRODUCT_SHARE = 0.024;
const NEW_BUG_SHARE = 0.15;
/** Results of builds are comments on one bug, which gets a quarter of all comments. */
const BUILD_SHARE = 0.3;

/** Growth accelerates to a million items after ten years. */
const START = Date.parse('2015-01-01T00:00:00Z');
const TEN_YEARS = 10 * 365 * 24 * 60 * 60 * 1_000;
const EVENTS_OF_TEN_YEARS = 400_000;

/** Numbers of entities. */
export interface Counts {
  items: number;
  products: number;
  bugs: number;
  comments: number;
  tags: number;
  users: number;
}

/**
 * Generates a bug tracker with its history from a seed, with realistic popularity. The items are equal to those that the
 * service would have written.
 */
export class Tracker {
  /** number of generated items */
  readonly ids = new Ids();
  /** the bug with the most comments */
  readonly builds: Builds;
  readonly #random: Random;
  readonly #ledger = new Ledger();
  readonly #people: People;
  readonly #products: Products;
  readonly #tags: Tags;
  readonly #bugs: Bugs;
  #time = START;
  #events = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    const history: History = {
      random: this.#random,
      words: new Words(this.#random),
      ids: this.ids,
      ledger: this.#ledger,
      time: () => timestamp(new Date(this.#time)),
    };
    this.#people = new People(history);
    this.#products = new Products(history, this.#people);
    this.#tags = new Tags(history);
    this.#bugs = new Bugs(history, this.#people, this.#products, this.#tags);
    this.builds = new Builds(history, this.#people, this.#bugs);
  }

  /**
   * Generates events until there are this many items, or a few more.
   *
   * @returns the new and changed items, each once
   */
  *grow(items: number): Generator<TableItem> {
    while (this.#ledger.size < items) {
      this.#happen();
      yield* this.#ledger.takeFinal();
    }
    yield* this.#ledger.takeChanging();
    yield* this.ids.counters();
  }

  counts(): Counts {
    return {
      items: this.#ledger.size,
      products: this.#products.count,
      bugs: this.#bugs.count,
      comments: this.#bugs.comments,
      tags: this.#tags.count,
      users: this.#people.count,
    };
  }

  #happen(): void {
    this.#passTime();
    if (this.#products.count === 0 || this.#random.happens(NEW_PRODUCT_SHARE)) this.#products.make();
    else if (this.#bugs.count === 0 || this.#random.happens(NEW_BUG_SHARE)) this.#bugs.file();
    else if (this.#random.happens(BUILD_SHARE)) this.builds.report();
    else this.#bugs.comment();
  }

  /** The nth event happens at a time that grows with the cube root of n. */
  #passTime(): void {
    this.#events += 1;
    const share = this.#events / EVENTS_OF_TEN_YEARS;
    const gap = TEN_YEARS / EVENTS_OF_TEN_YEARS / 3 / share ** (2 / 3);
    this.#time += Math.max(1_000, this.#random.exponential(gap));
  }
}
