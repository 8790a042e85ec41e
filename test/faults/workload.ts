import type { CallOptions, GatewayReply } from '../support/bugless.ts';
import { randomNumbers } from '../support/random.ts';
import { BUGS, type Person } from './tracker.ts';

/** What became of something that somebody wrote: known to be there, known not to be, or unknown. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** Something with a text that is nowhere else. */
export interface Written {
  kind: 'comment' | 'bug' | 'product';
  text: string;
  outcome: Outcome;
  /** of the comment, bug or product, when it is known */
  id: number | undefined;
  /** the bug of a comment */
  bug: number | undefined;
}

/** The tags that a comment may have by now, each as sorted texts: more than one while an answer is missing. */
export interface Tagged {
  comment: number;
  possible: Set<string>;
}

/** The values that a product's field may have by now. */
export interface Described {
  product: number;
  possible: Set<string>;
}

/** All that has been written, to be compared with what is there in the end. */
export interface Ledger {
  operations: number;
  statuses: Map<number, number>;
  written: Written[];
  tagged: Tagged[];
  described: Described[];
  /** what nobody should ever have been answered */
  surprises: string[];
}

type Call = (method: string, path: string, options?: CallOptions) => Promise<GatewayReply>;

const TAGS = ['spam', 'Spam', 'crash', 'regression', 'me-too', 'noise', 'fixed', 'wontfix'];
const LARGE = Array.from({ length: 12 }, (_, place) => `one-of-many-tags-${place}`);
const SOME_PRODUCTS = '/rest/product?ids=1&ids=2&ids=3&include_fields=name,description';
const MOST_REPEATS = 12;

/**
 * Has people use a tracker at the same time, each one operation after the other, drawn by chance: comments, bugs,
 * products, tags, lists; with headers that make a repeat safe, and without.
 *
 * @param count operations in all
 */
export async function runWorkload(
  call: Call,
  everybody: Person[],
  count: number,
  seed: number,
): Promise<Ledger> {
  const ledger: Ledger = {
    operations: 0,
    statuses: new Map(),
    written: [],
    tagged: [],
    described: [],
    surprises: [],
  };
  const each = Math.ceil(count / everybody.length);
  await Promise.all(
    everybody.map(async (person, place) => {
      const worker = new Worker(call, person, `${place}`, randomNumbers(seed + place), ledger);
      for (let done = 0; done < each; done += 1) await worker.next();
    }),
  );
  return ledger;
}

/** One person at work. */
class Worker {
  readonly #call: Call;
  readonly #person: Person;
  readonly #name: string;
  readonly #random: () => number;
  readonly #ledger: Ledger;
  /** comments that this person was told to have written, by bug; private ones are left out */
  readonly #own = new Map<number, number[]>();
  #written = 0;
  #ownComment: Tagged | undefined;
  #ownProduct: Described | undefined;

  constructor(call: Call, person: Person, name: string, random: () => number, ledger: Ledger) {
    this.#call = call;
    this.#person = person;
    this.#name = name;
    this.#random = random;
    this.#ledger = ledger;
  }

  /** Does something. */
  async next(): Promise<void> {
    const place = this.#random();
    if (place < 0.35) await this.#comment();
    else if (place < 0.42) await this.#commentOnce();
    else if (place < 0.55) await this.#tagOwn();
    else if (place < 0.63) await this.#tagAnybodys();
    else if (place < 0.68) await this.#createProduct();
    else if (place < 0.75) await this.#describeOwn();
    else if (place < 0.79) await this.#createBug();
    else await this.#read();
  }

  async #ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const reply = await this.#call(method, path, { key: this.#person.key, body, headers });
    const { operations, statuses, surprises } = this.#ledger;
    this.#ledger.operations = operations + 1;
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status >= 500 && reply.status !== 503) {
      surprises.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply;
  }

  #text(kind: string): string {
    this.#written += 1;
    return `${kind} ${this.#name}-${this.#written}`;
  }

  #one<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }

  #bug = () => 1 + Math.floor(this.#random() ** 3 * BUGS);

  #note(kind: Written['kind'], text: string, { status, body }: GatewayReply, bug?: number): Outcome {
    const outcome = status < 300 ? 'acknowledged' : status === 503 ? 'unknown' : 'refused';
    const id = outcome === 'acknowledged' ? Number(body.id) : undefined;
    this.#ledger.written.push({ kind, text, outcome, id, bug });
    return outcome;
  }

  async #comment(): Promise<void> {
    const [bug, comment] = [this.#bug(), this.#text('comment')];
    const body = { comment, is_private: this.#random() < 0.2, work_time: this.#random() < 0.3 ? 0.1 : 0 };
    const name = this.#random() < 0.2 ? `bug-${bug}` : bug;
    const reply = await this.#ask('POST', `/rest/bug/${name}/comment`, body);
    if (this.#note('comment', comment, reply, bug) !== 'acknowledged') return;
    if (!body.is_private) this.#own.set(bug, [...(this.#own.get(bug) ?? []), reply.body.id]);
    if (this.#ownComment === undefined && !body.is_private) {
      this.#ownComment = { comment: reply.body.id, possible: new Set(['']) };
      this.#ledger.tagged.push(this.#ownComment);
    }
    await this.#expectReadable(reply.body.id, comment, body.is_private);
  }

  /** Whoever was told that it is there finds it at once. */
  async #expectReadable(id: number, text: string, isPrivate: boolean): Promise<void> {
    const { status, body } = await this.#ask('GET', `/rest/bug/comment/${id}`);
    const mayRead = !isPrivate || this.#person.groups.includes('insiders');
    const isThere = status === 200 && body.comments[id].text === text;
    if (status !== 503 && isThere !== mayRead) {
      this.#ledger.surprises.push(`comment ${id} just after it was written: ${status}`);
    }
  }

  /** With an Idempotency-Key it can be asked for until it is answered. */
  async #commentOnce(): Promise<void> {
    const [bug, comment] = [this.#bug(), this.#text('comment')];
    const headers = { 'idempotency-key': comment };
    let reply = await this.#ask('POST', `/rest/bug/${bug}/comment`, { comment }, headers);
    for (let repeats = 0; reply.status === 503 && repeats < MOST_REPEATS; repeats += 1) {
      reply = await this.#ask('POST', `/rest/bug/${bug}/comment`, { comment }, headers);
    }
    this.#note('comment', comment, reply, bug);
  }

  #tagChange(): { add: string[]; remove: string[] } {
    if (this.#random() < 0.1)
      return this.#random() < 0.5 ? { add: LARGE, remove: [] } : { add: [], remove: LARGE };
    const some = () => [this.#one(TAGS), this.#one(TAGS)].flatMap((tag) => tag ?? []);
    return this.#random() < 0.5 ? { add: some(), remove: [] } : { add: some().slice(1), remove: some() };
  }

  /** Nobody else changes the tags of this comment, so it is known what they are. */
  async #tagOwn(): Promise<void> {
    const own = this.#ownComment;
    if (own === undefined || !this.#person.groups.includes('taggers')) return this.#tagAnybodys();
    const change = this.#tagChange();
    const { status, body } = await this.#ask('PUT', `/rest/bug/comment/${own.comment}/tags`, change);
    const expected = [...own.possible].map((tags) => changed(tags, change));
    if (status === 200) {
      const normalized = foldedTags(body);
      if (!expected.includes(normalized)) {
        this.#ledger.surprises.push(
          `tags of ${own.comment}: ${normalized}, not one of ${expected.join(' or ')}`,
        );
      }
      own.possible = new Set([normalized]);
    } else if (status === 503) {
      own.possible = new Set([...own.possible, ...expected]);
    } else {
      this.#ledger.surprises.push(`tags of ${own.comment}: ${status} ${JSON.stringify(body)}`);
    }
  }

  async #tagAnybodys(): Promise<void> {
    // The descriptions, which are nobody's own.
    const comment = 1 + Math.floor(this.#random() * BUGS);
    await this.#ask('PUT', `/rest/bug/comment/${comment}/tags`, this.#tagChange());
  }

  async #createProduct(): Promise<void> {
    const isContested = this.#random() < 0.3;
    const description = this.#text('product');
    const name = isContested ? `Contested ${Math.floor(this.#random() * 20)}` : description;
    const reply = await this.#ask('POST', '/rest/product', { name, description, version: '1' });
    const outcome = this.#note('product', description, reply);
    if (outcome !== 'acknowledged' || this.#ownProduct !== undefined || isContested) return;
    // From now on its description is another; it was noted as that of a product, and is no longer.
    this.#ledger.written.pop();
    this.#ownProduct = { product: reply.body.id, possible: new Set([description]) };
    this.#ledger.described.push(this.#ownProduct);
  }

  async #describeOwn(): Promise<void> {
    const own = this.#ownProduct;
    if (own === undefined) return this.#createProduct();
    const description = this.#text('described');
    const body = { description, name: `Renamed ${description}`, is_open: this.#random() < 0.5 };
    const { status } = await this.#ask('PUT', `/rest/product/${own.product}`, body);
    if (status === 200) own.possible = new Set([description]);
    else if (status === 503) own.possible.add(description);
    else this.#ledger.surprises.push(`update of product ${own.product}: ${status}`);
  }

  async #createBug(): Promise<void> {
    const description = this.#text('bug');
    const alias =
      this.#random() < 0.3 ? `contested-${Math.floor(this.#random() * 20)}` : description.replace(' ', '-');
    const place = { product: 'Product 1', component: 'Core', version: '1' };
    const reply = await this.#ask('POST', '/rest/bug', { ...place, summary: 's', description, alias });
    this.#note('bug', description, reply);
  }

  async #read(): Promise<void> {
    const bug = this.#bug();
    const path = this.#one([
      `/rest/bug/${bug}/comment`,
      `/rest/bug/bug-${bug}/comment?new_since=2025-01-01`,
      '/rest/product?type=accessible&include_fields=id,name',
      SOME_PRODUCTS,
      '/rest/product_enterable',
      '/rest/bug/comment/tags/a',
      `/rest/bug/${bug}`,
    ]);
    const { status, body } = await this.#ask('GET', path ?? '');
    if (status === 200 && path === `/rest/bug/${bug}/comment`)
      this.#expectNoViolations(bug, body.bugs[bug].comments);
    if (status === 200 && path === SOME_PRODUCTS && body.products.length !== 3) {
      this.#ledger.surprises.push(`${path}: only ${body.products.length} of 3`);
    }
  }

  #expectNoViolations(bug: number, comments: { id: number; count: number; time: string }[]): void {
    const ids = new Set(comments.map(({ id }) => id));
    const missing = this.#own.get(bug)?.filter((id) => !ids.has(id)) ?? [];
    if (missing.length > 0) this.#ledger.surprises.push(`comments of bug ${bug} without ${missing}`);
    const isInsider = this.#person.groups.includes('insiders');
    const isInOrder = comments.every(({ count, time }, place) => {
      const before = comments[place - 1];
      return before === undefined
        ? count === 0
        : before.time <= time && (isInsider ? before.count + 1 === count : before.count < count);
    });
    if (!isInOrder)
      this.#ledger.surprises.push(`comments of bug ${bug}: ${comments.map(({ count }) => count)}`);
  }
}

/** A comment's tags as one text, in lower case. */
export const foldedTags = (tags: string[]): string =>
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
