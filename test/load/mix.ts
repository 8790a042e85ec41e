import * as z from 'zod';
import { timestamp } from '../../lib/time.ts';
import { Popularity } from '../bench/tracker/popularity.ts';
import type { Random } from '../bench/tracker/random.ts';
import { Words } from '../bench/tracker/words.ts';
import type { Journal } from './journal.ts';
import { ADMIN_KEY, type World } from './world.ts';

/** A request, and the handler of its response. */
export interface Task {
  operation: string;
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  key: string;
  body?: object;
  /** called with the body of a successful response */
  acknowledged?(body: string): void;
}

const RECENT_MILLISECONDS = 5_000;
const NEW_TAG_SHARE = 0.2;
const COMMENT_LENGTH = 180;
const createdResponse = z.object({ id: z.int() });
const idIn = (body: string) => createdResponse.parse(JSON.parse(body)).id;

/** Generates a typical mix of requests of users, bots and dashboards: 70 % are reads. */
export class Mix {
  readonly #world: World;
  readonly #random: Random;
  readonly #journal: Journal;
  readonly #words: Words;
  readonly #tags = new Popularity<string>();
  readonly #weighted: (() => Task)[];
  #made = 0;

  constructor(world: World, random: Random, journal: Journal) {
    this.#world = world;
    this.#random = random;
    this.#journal = journal;
    this.#words = new Words(random);
    this.#tags.add('regression');
    this.#weighted = this.#shares().flatMap(([share, make]) => Array.from({ length: share }, () => make));
  }

  next(): Task {
    this.#made += 1;
    return this.#random.of(this.#weighted)();
  }

  /** In thousandths. */
  #shares(): [number, () => Task][] {
    const { bugs, popularBugs, products } = this.#world;
    const [bug, popular] = [() => this.#random.of(bugs), () => this.#random.of(popularBugs)];
    const product = () => this.#random.of(products);
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
    return { operation, method: 'GET', path, key: this.#random.of(this.#world.keys) };
  }

  #commentById(): Task {
    const { comments } = this.#journal;
    if (comments.length === 0) return this.#comment(this.#random.of(this.#world.bugs));
    return this.#get('comment by id', `/rest/bug/comment/${this.#random.of(comments).id}`);
  }

  #comment(bug: number): Task {
    const text = `${this.#words.text(COMMENT_LENGTH)} (${this.#made})`;
    const acknowledge = this.#journal.beginComment(bug, text);
    return {
      operation: 'create comment',
      method: 'POST',
      path: `/rest/bug/${bug}/comment`,
      key: this.#random.of(this.#world.keys),
      body: { comment: text },
      acknowledged: (body) => acknowledge(idIn(body)),
    };
  }

  #addTag(): Task {
    if (!this.#random.happens(NEW_TAG_SHARE)) return this.#tag('add a tag', [this.#tags.draw(this.#random)]);
    const tag = `${this.#words.word()}-${this.#made}`;
    this.#tags.add(tag);
    return this.#tag('add a tag', [tag]);
  }

  /** Changes the tags of an own comment, which no concurrent request changes. */
  #tag(operation: string, add: string[], removesAll = false): Task {
    const comment = this.#journal.takeComment((count) => this.#random.below(count));
    if (comment === undefined) return this.#comment(this.#random.of(this.#world.bugs));
    const remove = removesAll ? (comment.tags[0] ?? []) : [];
    return {
      operation,
      method: 'PUT',
      path: `/rest/bug/comment/${comment.id}/tags`,
      key: this.#random.of(this.#world.keys),
      body: { add, remove },
      acknowledged: this.#journal.beginTags(comment, add, remove),
    };
  }

  #removeTag(): Task {
    return this.#tag('remove tags', [], true);
  }

  #createProduct(): Task {
    const name = `Load test ${this.#made}`;
    const acknowledge = this.#journal.beginProduct(name, 'New');
    return {
      operation: 'create product',
      method: 'POST',
      path: '/rest/product',
      key: ADMIN_KEY,
      body: { name, description: 'New', version: '1.0' },
      acknowledged: (body) => acknowledge(idIn(body)),
    };
  }

  #updateProduct(): Task {
    const product = this.#journal.takeProduct((count) => this.#random.below(count));
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
