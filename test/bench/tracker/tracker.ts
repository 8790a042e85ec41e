import { timestamp } from '../../../lib/time.ts';
import { Bugs } from './bugs.ts';
import { Builds } from './build-comments.ts';
import type { History } from './history.ts';
import { Ids } from './ids.ts';
import { Ledger, type TableItem } from './ledger.ts';
import { Products } from './products.ts';
import { Chance } from './random.ts';
import { Tags } from './tags.ts';
import { People } from './users.ts';
import { Words } from './words.ts';

/** Of all that happens; the rest are comments. */
const NEW_PRODUCT_SHARE = 0.024;
const NEW_BUG_SHARE = 0.15;
/** A machine writes the result of every build into one bug, which so gets a quarter of all comments. */
const BUILD_SHARE = 0.3;

/** It begins slowly, and has a million items after ten years. */
const START = Date.parse('2015-01-01T00:00:00Z');
const TEN_YEARS = 10 * 365 * 24 * 60 * 60 * 1_000;
const EVENTS_OF_TEN_YEARS = 400_000;

/** How much of what there is. */
export interface Counts {
  items: number;
  products: number;
  bugs: number;
  comments: number;
  tags: number;
  users: number;
}

/**
 * A bug tracker with its history, made up by a seed: what is popular gets more popular, as in real ones. It gives
 * the very items that the service would have written.
 */
export class Tracker {
  /** that it has given */
  readonly ids = new Ids();
  /** the bug that gets the most comments */
  readonly builds: Builds;
  readonly #chance: Chance;
  readonly #ledger = new Ledger();
  readonly #people: People;
  readonly #products: Products;
  readonly #tags: Tags;
  readonly #bugs: Bugs;
  #time = START;
  #events = 0;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    const history: History = {
      chance: this.#chance,
      words: new Words(this.#chance),
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
   * Lets time pass until there are this many items, or a few more.
   *
   * @returns what is then to be written: each item once, those that have changed among them
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
    if (this.#products.count === 0 || this.#chance.happens(NEW_PRODUCT_SHARE)) this.#products.make();
    else if (this.#bugs.count === 0 || this.#chance.happens(NEW_BUG_SHARE)) this.#bugs.file();
    else if (this.#chance.happens(BUILD_SHARE)) this.builds.report();
    else this.#bugs.comment();
  }

  /** The nth thing happens after a time that grows with the cube root of n. */
  #passTime(): void {
    this.#events += 1;
    const share = this.#events / EVENTS_OF_TEN_YEARS;
    const gap = TEN_YEARS / EVENTS_OF_TEN_YEARS / 3 / share ** (2 / 3);
    this.#time += Math.max(1_000, this.#chance.exponential(gap));
  }
}
