import * as z from 'zod';
import { timestamp } from '../../lib/time.ts';
import { Popularity } from '../bench/tracker/popularity.ts';
import type { Chance } from '../bench/tracker/random.ts';
import { Words } from '../bench/tracker/words.ts';
import type { Journal } from './journal.ts';
import { ADMIN_KEY, type World } from './world.ts';

/** A request, and what becomes known by its answer. */
export interface Task {
  operation: string;
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  key: string;
  body?: object;
  /** called with the answer's body when it is one of success */
  acknowledged?(body: string): void;
}

const RECENT_MILLISECONDS = 5_000;
const NEW_TAG_SHARE = 0.2;
const COMMENT_LENGTH = 180;
const idAnswer = z.object({ id: z.int() });
const idIn = (body: string) => idAnswer.parse(JSON.parse(body)).id;

/** Requests as users, bots and dashboards make them: seven of ten read. */
export class Mix {
  readonly #world: World;
  readonly #chance: Chance;
  readonly #journal: Journal;
  readonly #words: Words;
  readonly #tags = new Popularity<string>();
  readonly #weighted: (() => Task)[];
  #made = 0;

  constructor(world: World, chance: Chance, journal: Journal) {
    this.#world = world;
    this.#chance = chance;
    this.#journal = journal;
    this.#words = new Words(chance);
    this.#tags.add('regression');
    this.#weighted = this.#shares().flatMap(([share, make]) => Array.from({ length: share }, () => make));
  }

  next(): Task {
    this.#made += 1;
    return this.#chance.of(this.#weighted)();
  }

  /** In thousandths. */
  #shares(): [number, () => Task][] {
    const { bugs, popularBugs, products } = this.#world;
    const [bug, popular] = [() => this.#chance.of(bugs), () => this.#chance.of(popularBugs)];
    const product = () => this.#chance.of(products);
    return [
      [120, () => this.#get('product by id', `/rest/product/${product().id}`)],
      [80, () => this.#get('product by name', `/rest/product/${encodeURIComponent(product().name)}`)],
      [60, () => this.#get('ids of products', '/rest/product_accessible')],
      [40, () => this.#get('products, id and name', '/rest/product?include_fields=id,name')],
      [140, () => this.#get('comments of a bug', `/rest/bug/${bug()}/comment`)],
      [120, () => this.#get('new comments', `/rest/bug/${popular()}/comment?new_since=${recently()}`)],
      [80, () => this.#commentById()],
      [60, () => this.#get('search tags', `/rest/bug/comment/tags/${this.#words.word().slice(0, 3)}`)],
      [200, () => this.#comment(popular())],
      [60, () => this.#addTag()],
      [25, () => this.#removeTag()],
      [10, () => this.#updateProduct()],
      [5, () => this.#createProduct()],
    ];
  }

  #get(operation: string, path: string): Task {
    return { operation, method: 'GET', path, key: this.#chance.of(this.#world.keys) };
  }

  #commentById(): Task {
    const { comments } = this.#journal;
    if (comments.length === 0) return this.#comment(this.#chance.of(this.#world.bugs));
    return this.#get('comment by id', `/rest/bug/comment/${this.#chance.of(comments).id}`);
  }

  #comment(bug: number): Task {
    const text = `${this.#words.text(COMMENT_LENGTH)} (${this.#made})`;
    const answered = this.#journal.beginComment(bug, text);
    return {
      operation: 'create comment',
      method: 'POST',
      path: `/rest/bug/${bug}/comment`,
      key: this.#chance.of(this.#world.keys),
      body: { comment: text },
      acknowledged: (body) => answered(idIn(body)),
    };
  }

  #addTag(): Task {
    if (!this.#chance.happens(NEW_TAG_SHARE)) return this.#tag('add a tag', [this.#tags.draw(this.#chance)]);
    const tag = `${this.#words.word()}-${this.#made}`;
    this.#tags.add(tag);
    return this.#tag('add a tag', [tag]);
  }

  /** Changes the tags of one of our own comments: nobody else does at the same time. */
  #tag(operation: string, add: string[], removesAll = false): Task {
    const comment = this.#journal.takeComment((count) => this.#chance.below(count));
    if (comment === undefined) return this.#comment(this.#chance.of(this.#world.bugs));
    const remove = removesAll ? (comment.tags[0] ?? []) : [];
    return {
      operation,
      method: 'PUT',
      path: `/rest/bug/comment/${comment.id}/tags`,
      key: this.#chance.of(this.#world.keys),
      body: { add, remove },
      acknowledged: this.#journal.beginTags(comment, add, remove),
    };
  }

  #removeTag(): Task {
    return this.#tag('remove tags', [], true);
  }

  #createProduct(): Task {
    const name = `Made under load ${this.#made}`;
    const answered = this.#journal.beginProduct(name, 'New');
    return {
      operation: 'create product',
      method: 'POST',
      path: '/rest/product',
      key: ADMIN_KEY,
      body: { name, description: 'New', version: '1.0' },
      acknowledged: (body) => answered(idIn(body)),
    };
  }

  #updateProduct(): Task {
    const product = this.#journal.takeProduct((count) => this.#chance.below(count));
    if (product === undefined) return this.#createProduct();
    const description = `Updated by ${this.#made}`;
    return {
      operation: 'update product',
      method: 'PUT',
      path: `/rest/product/${product.id}`,
      key: ADMIN_KEY,
      body: { description },
      acknowledged: this.#journal.beginDescription(product, description),
    };
  }
}

const recently = () => timestamp(new Date(Date.now() - RECENT_MILLISECONDS));
