import type { CallOptions, GatewayReply } from '../bugless.ts';
import { randomNumbers } from '../random.ts';
import type { VirtualUser } from './tracker.ts';

/** Whether a write was committed: yes, no, or unknown after a 503. */
type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** A write with a unique text. */
export interface Written {
  kind: 'comment' | 'bug' | 'product';
  text: string;
  outcome: Outcome;
  /** of the comment, bug or product, if acknowledged */
  id: number | undefined;
  /** the bug of a comment */
  bug: number | undefined;
}

/** The possible tags of a comment, as sorted texts: more than one after a write with an unknown outcome. */
interface Tagged {
  comment: number;
  possible: Set<string>;
}

/** The possible descriptions of a product. */
interface Described {
  product: number;
  possible: Set<string>;
}

/** All writes of a run, to be compared with the table afterwards. */
export interface Ledger {
  operations: number;
  statuses: Map<number, number>;
  written: Written[];
  tagged: Tagged[];
  described: Described[];
  /** responses that violate the interface */
  violations: string[];
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<GatewayReply>;

const TAGS = ['spam', 'Spam', 'crash', 'regression', 'me-too', 'noise', 'fixed', 'wontfix'];
const LARGE = Array.from({ length: 12 }, (_, place) => `one-of-many-tags-${place}`);
const SOME_PRODUCTS = '/rest/product?ids=1&ids=2&ids=3&include_fields=name,description';
const MAX_RETRIES = 12;

/**
 * Concurrent virtual users, each with random operations one after the other: comments, bugs, products, tags, lists; with
 * and without idempotency keys.
 */
export class Workload {
  readonly ledger: Ledger = {
    operations: 0,
    statuses: new Map(),
    written: [],
    tagged: [],
    described: [],
    violations: [],
  };
  readonly #workers: Worker[];

  /** @param bugs of the tracker */
  constructor(call: Call, users: VirtualUser[], bugs: number, seed: number) {
    this.#workers = users.map(
      (user, index) =>
        new Worker({
          ...{ call, user, bugs, ledger: this.ledger },
          ...{ name: `${index}`, random: randomNumbers(seed + index) },
        }),
    );
  }

  /**
   * Runs the operations of some users.
   *
   * @param goesOn gets the number of operations of one user
   */
  async run(users: number, goesOn: (done: number) => boolean): Promise<void> {
    const work = async (worker: Worker) => {
      for (let done = 0; goesOn(done); done += 1) await worker.next();
    };
    await Promise.all(this.#workers.slice(0, users).map(work));
  }
}

/** What one virtual user works with. */
interface Given {
  call: Call;
  user: VirtualUser;
  name: string;
  /** numbers from 0 to 1 */
  random: () => number;
  ledger: Ledger;
  /** of the tracker */
  bugs: number;
}

/** Runs the operations of one virtual user. */
class Worker {
  readonly #given: Given;
  /** acknowledged public comments of this user, by bug */
  readonly #own = new Map<number, number[]>();
  #written = 0;
  #ownComment: Tagged | undefined;
  #ownProduct: Described | undefined;

  constructor(given: Given) {
    this.#given = given;
  }

  /** Runs one random operation. */
  async next(): Promise<void> {
    const choice = this.#given.random();
    if (choice < 0.35) await this.#comment();
    else if (choice < 0.42) await this.#commentIdempotently();
    else if (choice < 0.55) await this.#tagOwn();
    else if (choice < 0.63) await this.#tagDescription();
    else if (choice < 0.68) await this.#createProduct();
    else if (choice < 0.75) await this.#describeOwn();
    else if (choice < 0.79) await this.#createBug();
    else await this.#read();
  }

  async #request(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const reply = await this.#given.call(method, path, { key: this.#given.user.key, body, headers });
    const { operations, statuses, violations } = this.#given.ledger;
    this.#given.ledger.operations = operations + 1;
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status >= 500 && reply.status !== 503) {
      violations.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply;
  }

  #text(kind: string): string {
    this.#written += 1;
    return `${kind} ${this.#given.name}-${this.#written}`;
  }

  #randomOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#given.random() * all.length)];
  }

  #randomBug = () => 1 + Math.floor(this.#given.random() ** 3 * this.#given.bugs);

  #record(kind: Written['kind'], text: string, { status, body }: GatewayReply, bug?: number): Outcome {
    const outcome = status < 300 ? 'acknowledged' : status === 503 ? 'unknown' : 'refused';
    const id = outcome === 'acknowledged' ? Number(body.id) : undefined;
    this.#given.ledger.written.push({ kind, text, outcome, id, bug });
    return outcome;
  }

  async #comment(): Promise<void> {
    const [bug, comment] = [this.#randomBug(), this.#text('comment')];
    const body = {
      comment,
      is_private: this.#given.random() < 0.2,
      work_time: this.#given.random() < 0.3 ? 0.1 : 0,
    };
    const name = this.#given.random() < 0.2 ? `bug-${bug}` : bug;
    const reply = await this.#request('POST', `/rest/bug/${name}/comment`, body);
    if (this.#record('comment', comment, reply, bug) !== 'acknowledged') return;
    if (!body.is_private) this.#own.set(bug, [...(this.#own.get(bug) ?? []), reply.body.id]);
    if (this.#ownComment === undefined && !body.is_private) {
      this.#ownComment = { comment: reply.body.id, possible: new Set(['']) };
      this.#given.ledger.tagged.push(this.#ownComment);
    }
    await this.#expectReadable(reply.body.id, comment, body.is_private);
  }

  /** Read-your-writes: an acknowledged comment is visible at once. */
  async #expectReadable(id: number, text: string, isPrivate: boolean): Promise<void> {
    const { status, body } = await this.#request('GET', `/rest/bug/comment/${id}`);
    const mayRead = !isPrivate || this.#given.user.groups.includes('insiders');
    const isFound = status === 200 && body.comments[id].text === text;
    if (status !== 503 && isFound !== mayRead) {
      this.#given.ledger.violations.push(`comment ${id} read after the write: ${status}`);
    }
  }

  /** With an Idempotency-Key a request can be repeated until it succeeds. */
  async #commentIdempotently(): Promise<void> {
    const [bug, comment] = [this.#randomBug(), this.#text('comment')];
    const headers = { 'idempotency-key': comment };
    let reply = await this.#request('POST', `/rest/bug/${bug}/comment`, { comment }, headers);
    for (let repeats = 0; reply.status === 503 && repeats < MAX_RETRIES; repeats += 1) {
      reply = await this.#request('POST', `/rest/bug/${bug}/comment`, { comment }, headers);
    }
    this.#record('comment', comment, reply, bug);
  }

  #tagChange(): { add: string[]; remove: string[] } {
    if (this.#given.random() < 0.1)
      return this.#given.random() < 0.5 ? { add: LARGE, remove: [] } : { add: [], remove: LARGE };
    const some = () => [this.#randomOf(TAGS), this.#randomOf(TAGS)].flatMap((tag) => tag ?? []);
    return this.#given.random() < 0.5
      ? { add: some(), remove: [] }
      : { add: some().slice(1), remove: some() };
  }

  /** The tags of this comment are known, because no other user changes them. */
  async #tagOwn(): Promise<void> {
    const own = this.#ownComment;
    if (own === undefined || !this.#given.user.groups.includes('taggers')) return this.#tagDescription();
    const change = this.#tagChange();
    const { status, body } = await this.#request('PUT', `/rest/bug/comment/${own.comment}/tags`, change);
    const expected = [...own.possible].map((tags) => changed(tags, change));
    if (status === 200) {
      const normalized = normalizedTags(body);
      if (!expected.includes(normalized)) {
        this.#given.ledger.violations.push(
          `tags of ${own.comment}: ${normalized}, not one of ${expected.join(' or ')}`,
        );
      }
      own.possible = new Set([normalized]);
    } else if (status === 503) {
      own.possible = new Set([...own.possible, ...expected]);
    } else {
      this.#given.ledger.violations.push(`tags of ${own.comment}: ${status} ${JSON.stringify(body)}`);
    }
  }

  async #tagDescription(): Promise<void> {
    // The tags of descriptions are changed by all users.
    const comment = 1 + Math.floor(this.#given.random() * this.#given.bugs);
    await this.#request('PUT', `/rest/bug/comment/${comment}/tags`, this.#tagChange());
  }

  async #createProduct(): Promise<void> {
    const isContested = this.#given.random() < 0.3;
    const description = this.#text('product');
    const name = isContested ? `Contested ${Math.floor(this.#given.random() * 20)}` : description;
    const reply = await this.#request('POST', '/rest/product', { name, description, version: '1' });
    const outcome = this.#record('product', description, reply);
    if (outcome !== 'acknowledged' || this.#ownProduct !== undefined || isContested) return;
    // Its description changes from now on, so it is checked as `described` instead.
    this.#given.ledger.written.pop();
    this.#ownProduct = { product: reply.body.id, possible: new Set([description]) };
    this.#given.ledger.described.push(this.#ownProduct);
  }

  async #describeOwn(): Promise<void> {
    const own = this.#ownProduct;
    if (own === undefined) return this.#createProduct();
    const description = this.#text('described');
    const body = { description, name: `Renamed ${description}`, is_open: this.#given.random() < 0.5 };
    const { status } = await this.#request('PUT', `/rest/product/${own.product}`, body);
    if (status === 200) own.possible = new Set([description]);
    else if (status === 503) own.possible.add(description);
    else this.#given.ledger.violations.push(`update of product ${own.product}: ${status}`);
  }

  async #createBug(): Promise<void> {
    const description = this.#text('bug');
    const alias =
      this.#given.random() < 0.3
        ? `contested-${Math.floor(this.#given.random() * 20)}`
        : description.replace(' ', '-');
    const place = { product: 'Product 1', component: 'Core', version: '1' };
    const reply = await this.#request('POST', '/rest/bug', { ...place, summary: 's', description, alias });
    this.#record('bug', description, reply);
  }

  async #read(): Promise<void> {
    const bug = this.#randomBug();
    const path = this.#randomOf([
      `/rest/bug/${bug}/comment`,
      `/rest/bug/bug-${bug}/comment?new_since=2025-01-01`,
      '/rest/product?type=accessible&include_fields=id,name',
      SOME_PRODUCTS,
      '/rest/product_enterable',
      '/rest/bug/comment/tags/a',
      `/rest/bug/${bug}`,
    ]);
    const { status, body } = await this.#request('GET', path ?? '');
    if (status === 200 && path === `/rest/bug/${bug}/comment`)
      this.#checkComments(bug, body.bugs[bug].comments);
    if (status === 200 && path === SOME_PRODUCTS && body.products.length !== 3) {
      this.#given.ledger.violations.push(`${path}: only ${body.products.length} of 3`);
    }
  }

  #checkComments(bug: number, comments: { id: number; count: number; time: string }[]): void {
    const ids = new Set(comments.map(({ id }) => id));
    const missing = this.#own.get(bug)?.filter((id) => !ids.has(id)) ?? [];
    if (missing.length > 0) this.#given.ledger.violations.push(`comments of bug ${bug} without ${missing}`);
    const isInsider = this.#given.user.groups.includes('insiders');
    const isInOrder = comments.every(({ count, time }, place) => {
      const before = comments[place - 1];
      return before === undefined
        ? count === 0
        : before.time <= time && (isInsider ? before.count + 1 === count : before.count < count);
    });
    if (!isInOrder)
      this.#given.ledger.violations.push(`comments of bug ${bug}: ${comments.map(({ count }) => count)}`);
  }
}

/** The tags of a comment, sorted, in lower case, as one text. */
export const normalizedTags = (tags: string[]): string =>
  tags
    .map((tag) => tag.toLowerCase())
    .sort()
    .join(' ');

function changed(tags: string, { add, remove }: { add: string[]; remove: string[] }): string {
  const all = new Set(tags === '' ? [] : tags.split(' '));
  for (const tag of add) all.add(tag.toLowerCase());
  for (const tag of remove) all.delete(tag.toLowerCase());
  return [...all].sort().join(' ');
}
