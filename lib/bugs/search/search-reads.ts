import type { AttachmentRepository } from '../../attachments/repository.ts';
import type { AttachmentItem } from '../../attachments/schema.ts';
import type { CommentRepository } from '../../comments/repository.ts';
import type { CommentItem } from '../../comments/schema.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { BugPlace } from '../../products/place.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { ProductIndexEntry } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import type { Caller } from '../../users/caller.ts';
import type { UserRepository } from '../../users/repository.ts';
import { isShown } from '../attachment-permissions.ts';
import type { BugRepository } from '../repository.ts';
import type { BugItem } from '../schema.ts';
import type { PlanSources } from './plan.ts';
import type { SearchedBug } from './searched-bug.ts';
import type { Searcher } from './searcher.ts';

/** Where a search reads from. */
export interface Repositories {
  attachments: AttachmentRepository;
  bugs: BugRepository;
  comments: CommentRepository;
  products: ProductRepository;
  users: UserRepository;
}

/** Maximum number of bugs whose comments or history a search reads: each needs its own query. */
const MAX_COSTLY_BUGS = 1_000;
/** Maximum of attachments' data that a search reads. */
const MAX_DATA_BYTES = 16_000_000;
/** Maximum number of users that are searched for a part of a login. */
const MAX_USERS = 20_000;

/** The reads of one search, each done once. */
export class SearchReads implements PlanSources {
  readonly #repositories: Repositories;
  readonly #caller: Caller;
  readonly #isInsider: boolean;
  #dataBytes = 0;
  readonly #places = new Map<string, BugPlace>();
  readonly #realNames = new Map<string, Promise<string>>();
  #products: Promise<ProductIndexEntry[]> | undefined;
  #logins: Promise<string[] | undefined> | undefined;
  #costlyBugs = 0;

  constructor(repositories: Repositories, { caller, isInsider }: Pick<Searcher, 'caller' | 'isInsider'>) {
    this.#repositories = repositories;
    this.#caller = caller;
    this.#isInsider = isInsider;
  }

  products(): Promise<readonly ProductIndexEntry[]> {
    this.#products ??= collect(this.#repositories.products.index());
    return this.#products;
  }

  logins(): Promise<readonly string[] | undefined> {
    this.#logins ??= this.#readLogins();
    return this.#logins;
  }

  bugs(ids: number[]): Promise<Map<number, BugItem>> {
    return this.#repositories.bugs.byIds(ids);
  }

  async searched(bugs: readonly BugItem[]): Promise<SearchedBug[]> {
    const unknown = new Map(
      bugs.filter((bug) => !this.#places.has(placeText(bug))).map((bug) => [placeText(bug), bug]),
    );
    const places = await this.#repositories.products.placesOf([...unknown.values()]);
    for (const [text, { id }] of unknown) {
      this.#places.set(text, places.get(id) ?? { product: '', component: '', classification: '' });
    }
    return bugs.map((bug) => this.#searched(bug));
  }

  /** The sort keys of milestones by product and name. */
  async milestoneSortKeys(searched: readonly SearchedBug[]): Promise<(searched: SearchedBug) => number> {
    const ids = [...new Set(searched.map(({ bug }) => bug.product_id))];
    const products = await this.#repositories.products.allWithParts(ids);
    const milestones = new Map(products.map(({ product, milestones }) => [product.id, milestones]));
    return ({ bug }) =>
      milestones.get(bug.product_id)?.find(({ name }) => name === bug.target_milestone)?.sort_key ?? 0;
  }

  #searched(bug: BugItem): SearchedBug {
    const { attachments, bugs, comments, users } = this.#repositories;
    let known: Promise<AttachmentItem[]> | undefined;
    const readAttachments = () => {
      if (bug.attachment_count === 0) return Promise.resolve([]);
      known ??= this.#countCostly(async () =>
        (await attachments.ofBug(bug.id)).filter((one) => isShown(one, this.#caller, this.#isInsider)),
      );
      return known;
    };
    let readComments: Promise<CommentItem[]> | undefined;
    let readHistory: ReturnType<typeof bugs.history> | undefined;
    return {
      bug,
      place: this.#places.get(placeText(bug)) ?? { product: '', component: '', classification: '' },
      comments: () => {
        readComments ??= this.#countCostly(async () =>
          (await collect(comments.ofBug(bug.id))).filter(({ is_private }) => this.#isInsider || !is_private),
        );
        return readComments;
      },
      attachments: readAttachments,
      attachmentTexts: async () => {
        const all = await readAttachments();
        this.#dataBytes += all.reduce((sum, { size }) => sum + size, 0);
        if (this.#dataBytes > MAX_DATA_BYTES) throw errors.searchTooBroad('16 MB of attachments');
        return mapConcurrent(all, async (one) => (await attachments.data(one)).toString('utf8'));
      },
      history: () => {
        readHistory ??= this.#countCostly(() => bugs.history(bug.id));
        return readHistory;
      },
      realName: (login) => {
        const known = this.#realNames.get(normalizeName(login));
        const name = known ?? users.byLogin(login).then((user) => user?.real_name ?? '');
        this.#realNames.set(normalizeName(login), name);
        return name;
      },
    };
  }

  #countCostly<T>(read: () => Promise<T>): Promise<T> {
    this.#costlyBugs += 1;
    if (this.#costlyBugs > MAX_COSTLY_BUGS) {
      return Promise.reject(errors.searchTooBroad('the comments or changes of 1,000 bugs'));
    }
    return read();
  }

  async #readLogins(): Promise<string[] | undefined> {
    const logins: string[] = [];
    for await (const page of this.#repositories.users.index()) {
      logins.push(...page.map(({ login }) => login));
      if (logins.length > MAX_USERS) return undefined;
    }
    return logins;
  }
}

const placeText = ({ product_id, component_id }: BugItem): string => `${product_id} ${component_id}`;

async function collect<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
