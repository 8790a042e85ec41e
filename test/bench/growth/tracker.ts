import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import { timestamp } from '../../../lib/time.ts';
import { randomNumbers } from '../../support/random.ts';

/** For one comment, as far as real trackers have them. */
const PER_COMMENT = { bugs: 0.15, products: 0.025, users: 0.02 };
/** About, with pointers and indexes. */
const ITEMS_OF_A_COMMENT = 3;
/** Results of builds are comments on one bug. */
const BUILD_SHARE = 0.25;
const TAGGED_SHARE = 0.08;
const NEW_TAG_SHARE = 0.15;
const START = Date.parse('2015-01-01T00:00:00Z');
const MINUTES_OF_A_COMMENT = 20;
/** Beyond those of the requested items. */
const FIRST_ID = 10_000;

const BUILD_BUG = FIRST_ID;

/** A bug tracker of a size. */
export interface Tracker {
  catalogue: Catalogue;
  counts: { products: number; bugs: number; comments: number; tags: number; users: number };
  /** the bug with the most comments, and the time after which it got the last ten */
  longest: { bug: number; product: string; since: string };
}

/**
 * Makes up a bug tracker. From the same seed, a larger one has what a smaller one has, and more. Few products, bugs,
 * users and tags are popular, most are not, as in real trackers.
 *
 * @param items about so many in the table
 */
export function makeTracker(seed: number, items: number): Tracker {
  const random = randomNumbers(seed);
  const below = (end: number) => Math.floor(random() * end);
  const words = new Words(below);
  const users = new Popular(below, (n) => ({ login: `${words.word()}${n}@tracker.example` }));
  const products = new Popular(below, (n) => ({ name: `${words.word()} ${n}`, parts: 1 }));
  const tags = new Popular(below, (n) => `${words.word()}-${n}`);
  const newBug = (id: number) => {
    const product = products.draw();
    if (random() < 1 / product.parts) product.parts += 1;
    return {
      id,
      product: product.name,
      component: `Component ${below(product.parts)}`,
      summary: words.text(60),
      reporter: users.draw().login,
      assigned_to: users.draw().login,
      ...(random() < 0.6 ? { status: 'RESOLVED', resolution: 'FIXED' } : {}),
      comments: [] as object[],
    };
  };
  const builds = newBug(BUILD_BUG);
  const bugs = new Popular(below, (n) => newBug(BUILD_BUG + 1 + n));
  const tagsOfComment = () => {
    if (random() >= TAGGED_SHARE) return [];
    return [random() < NEW_TAG_SHARE ? tags.add() : tags.draw()];
  };
  const buildTimes: string[] = [];
  const comments = Math.ceil(items / ITEMS_OF_A_COMMENT);
  for (let n = 0; n < comments; n += 1) {
    if (random() < PER_COMMENT.products) products.add();
    if (random() < PER_COMMENT.users) users.add();
    const creation_time = timestamp(new Date(START + n * MINUTES_OF_A_COMMENT * 60_000));
    const isBuild = n === 0 || random() < BUILD_SHARE;
    if (isBuild) buildTimes.push(creation_time);
    if (random() < PER_COMMENT.bugs) bugs.add();
    const bug = isBuild ? builds : bugs.draw();
    bug.comments.push({
      id: FIRST_ID + n,
      text: words.text(180),
      creator: users.draw().login,
      creation_time,
      tags: tagsOfComment(),
    });
  }
  const commented = [builds, ...bugs.all].filter((bug) => bug.comments.length > 0);
  return {
    catalogue: parseCatalogue({ users: users.all, products: products.all.map(withParts), bugs: commented }),
    counts: {
      products: products.all.length,
      bugs: commented.length,
      comments,
      tags: tags.all.length,
      users: users.all.length,
    },
    longest: { bug: BUILD_BUG, product: builds.product, since: buildTimes.at(-11) ?? '' },
  };
}

function withParts({ name, parts }: { name: string; parts: number }) {
  const names = Array.from({ length: parts }, (_, part) => part);
  const releases = names.map((part) => ({ name: `${part}.0` }));
  return {
    name,
    components: names.map((part) => ({ name: `Component ${part}` })),
    versions: releases,
    milestones: releases,
  };
}

/** Preferential attachment (Simon's process): who was drawn often is drawn more often, as Zipf's law has it. */
class Popular<T> {
  readonly all: T[] = [];
  readonly #drawn: T[] = [];
  readonly #below: (end: number) => number;
  readonly #make: (n: number) => T;

  constructor(below: (end: number) => number, make: (n: number) => T) {
    this.#below = below;
    this.#make = make;
  }

  add(): T {
    const one = this.#make(this.all.length);
    this.all.push(one);
    this.#drawn.push(one);
    return one;
  }

  draw(): T {
    const one = this.#drawn[this.#below(this.#drawn.length)] ?? this.add();
    this.#drawn.push(one);
    return one;
  }
}

const SYLLABLES = 'ba de fi go lu ma ne pi ro su ta ve'.split(' ');
const LONG_TEXT = 100_000;

class Words {
  readonly #below: (end: number) => number;
  readonly #long: string;

  constructor(below: (end: number) => number) {
    this.#below = below;
    this.#long = Array.from({ length: LONG_TEXT / 5 }, () => this.word()).join(' ');
  }

  word(): string {
    return Array.from({ length: 2 + this.#below(2) }, () => SYLLABLES[this.#below(SYLLABLES.length)]).join(
      '',
    );
  }

  /** A part of one long text: most are short, few are long. */
  text(median: number): string {
    const length = Math.round((median / 2) * (1 / (1.001 - this.#below(1_000) / 1_000)));
    const start = this.#below(LONG_TEXT - length);
    return this.#long.slice(start, start + length).trim() || 'text';
  }
}
