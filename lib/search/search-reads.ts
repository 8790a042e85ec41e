import { mapConcurrent, portions } from '../base/collections.ts';
import { bytes, normalizeName } from '../base/text.ts';
import { isDamaged } from '../bugs/attachments/data.ts';
import { isAttachmentShown } from '../bugs/attachments/presenter.ts';
import type { AttachmentRepository } from '../bugs/attachments/repository.ts';
import type { AttachmentItem } from '../bugs/attachments/schema.ts';
import { indexedBugOf, storedIn } from '../bugs/change-log/indexed-bug.ts';
import { isCommentShown } from '../bugs/comments/presenter.ts';
import type { CommentRepository } from '../bugs/comments/repository.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import type { WordIndex } from '../bugs/comments/word-index.ts';
import type { BugItem, HistoryItem } from '../bugs/schema.ts';
import { visibleHistory } from '../bugs/show/visible-history.ts';
import type { BugRepository } from '../bugs/store/repository.ts';
import type { UserRepository } from '../people/repository.ts';
import { type BugPlace, type KnownProduct, type KnownProducts, placeOf } from '../products/place.ts';
import type { RememberedProducts } from '../products/repository.ts';
import type { FlagTypeItem, ProductIndexEntry } from '../products/schema.ts';
import { readUnits, sizeOf } from '../table/consumption.ts';
import { bugPartition } from '../table/keys.ts';
import type { SearchContext } from './conditions/search-context.ts';
import type { ReadBug, SearchedBug, WordCandidates } from './conditions/searched-bug.ts';

/** Where a search reads from. */
export interface Repositories {
  attachments: AttachmentRepository;
  bugs: BugRepository;
  comments: CommentRepository;
  products: RememberedProducts;
  users: UserRepository;
  words: WordIndex;
}

/** Comments that are read before they are counted. */
const COUNTED_COMMENTS = 500;
/** Comments of a bug that are read for one condition because the word index names them. */
const MAX_NAMED_COMMENTS = 4;

/** Read units of comments that are read one by one. */
const unitsOf = (comments: readonly CommentItem[]): number =>
  comments.reduce((sum, { text }) => sum + readUnits(bytes(text)), 0);

/** Read units of a list of items, beyond the first one: a call that is counted otherwise. */
const listUnits = (items: readonly object[]): number => readUnits(sizeOf(items)) - 1;

const NO_CANDIDATES: WordCandidates = new Map();

/** The reads of one search, each done once. */
export class SearchReads {
  readonly #repositories: Repositories;
  readonly context: SearchContext;
  readonly #realNames = new Map<string, Promise<string>>();
  readonly #products = new Map<number, KnownProduct>();

  constructor(repositories: Repositories, context: SearchContext) {
    this.#repositories = repositories;
    this.context = context;
    if (context.caller.user !== undefined) context.budget.allowMore();
  }

  /** Products, as far as they are in the index. */
  async products(ids: Iterable<number>): Promise<KnownProducts> {
    const missing = new Set([...ids].filter((id) => !this.#products.has(id)));
    if (missing.size > 0) await this.#readProducts(missing, await this.context.productIndex);
    return this.#products;
  }

  /** The products of bugs that were read, which may have been created, or got their components, after the index was read. */
  async productsOf(bugs: readonly Pick<BugItem, 'product_id' | 'component_id'>[]): Promise<KnownProducts> {
    await this.products(bugs.map(({ product_id }) => product_id));
    const isUnknown = ({ product_id, component_id }: (typeof bugs)[number]) =>
      this.#products.get(product_id)?.components.has(component_id) !== true;
    const changed = new Set(bugs.filter(isUnknown).map(({ product_id }) => product_id));
    if (changed.size > 0) {
      const pages = await Array.fromAsync(this.#repositories.products.index());
      await this.#readProducts(changed, pages.flat());
    }
    return this.#products;
  }

  async #readProducts(ids: ReadonlySet<number>, index: readonly ProductIndexEntry[]): Promise<void> {
    const found = await this.#repositories.products.known(index.filter(({ id }) => ids.has(id)));
    for (const [id, product] of found) this.#products.set(id, product);
  }

  /** Counts the units of bugs and comments that the caller may see: the others must not affect whether a search is refused. */
  countUnits(count: number): void {
    this.context.budget.searchedUnits.take(Math.max(0, count));
  }

  async searched(bugs: readonly BugItem[]): Promise<SearchedBug[]> {
    await this.productsOf(bugs);
    return bugs.map((bug) => this.#searched(bug));
  }

  /** The comments of bugs that the word index names for a condition and that the caller may see, by bug. */
  async namedComments(
    ids: readonly number[],
    wordCandidates: WordCandidates,
  ): Promise<Map<number, CommentItem[]>> {
    const keys = [...wordCandidates.values()].flatMap((bugs) =>
      ids.flatMap((id) =>
        [...new Set(bugs.get(id))].slice(0, MAX_NAMED_COMMENTS).map((sk) => ({ pk: bugPartition(id), sk })),
      ),
    );
    const comments: CommentItem[] = [];
    for (const portion of portions(keys, { max: COUNTED_COMMENTS })) {
      const shown = (await this.#repositories.comments.byKeys(portion)).filter(this.#isCommentShown);
      this.countUnits(unitsOf(shown));
      this.#countTexts('namedComments', shown);
      comments.push(...shown);
    }
    return Map.groupBy(comments, ({ bug_id }) => bug_id);
  }

  #isCommentShown = (comment: CommentItem): boolean => isCommentShown(comment, this.context.isInsider);

  /** Counts comments that the caller may see: the others must not affect whether a search is refused. */
  #countTexts(name: 'comments' | 'namedComments', comments: readonly CommentItem[]): void {
    this.context.budget[name].take(comments.reduce((sum, { text }) => sum + text.length, 0));
  }

  /** What a bug belongs to; its product was read. */
  placeOf(bug: Pick<BugItem, 'product_id' | 'component_id'>): BugPlace {
    return placeOf(bug, this.#products.get(bug.product_id));
  }

  /** The flag types of a product that was read. */
  flagTypesOf(product: number): readonly FlagTypeItem[] {
    return this.#products.get(product)?.flagTypes ?? [];
  }

  #searched(bug: BugItem): SearchedBug {
    const { attachments, bugs, comments, users } = this.#repositories;
    const { now, caller, isInsider, fields, visits, budget } = this.context;
    let known: Promise<AttachmentItem[]> | undefined;
    const readAll = () => {
      if (bug.attachment_count === 0) return Promise.resolve([]);
      known ??= this.#countCostly(() => attachments.ofBug(bug.id)).then((all) => {
        this.countUnits(listUnits(all));
        return all;
      });
      return known;
    };
    // A search does not find what is lost.
    const dataOf = (one: AttachmentItem) =>
      attachments.data(one).catch((error: unknown) => {
        if (isDamaged(error)) return Buffer.alloc(0);
        throw error;
      });
    const readAttachments = async () =>
      (await readAll()).filter((one) => isAttachmentShown(one, caller, isInsider));
    let readComments: Promise<CommentItem[]> | undefined;
    let readHistory: Promise<HistoryItem[]> | undefined;
    const read: ReadBug = {
      bug,
      comments: () => {
        readComments ??= this.#countCostly(async () => {
          const all: CommentItem[] = [];
          for await (const page of comments.ofBug(bug.id)) {
            const shown = page.filter(this.#isCommentShown);
            this.#countTexts('comments', shown);
            this.countUnits(listUnits(shown));
            all.push(...shown);
          }
          return all;
        });
        return readComments;
      },
      attachments: readAttachments,
      attachmentTexts: async () => {
        const all = await readAttachments();
        budget.data.take(all.reduce((sum, { size }) => sum + size, 0));
        return mapConcurrent(all, async (one) => (await dataOf(one)).toString('utf8'));
      },
      forget: () => {
        readComments = undefined;
        readHistory = undefined;
      },
      history: () => {
        readHistory ??= this.#countCostly(async () => {
          const visible = await visibleHistory(await bugs.history(bug.id), this.context, fields, readAll);
          this.countUnits(listUnits(visible));
          return visible;
        });
        return readHistory;
      },
      realName: (login) => {
        const known = this.#realNames.get(normalizeName(login));
        const read = async () => (await users.byLogin(login))?.real_name ?? '';
        const name = known ?? this.#countCostly(read);
        this.#realNames.set(normalizeName(login), name);
        return name;
      },
    };
    return {
      id: bug.id,
      value: (attribute) => (attribute === 'flag_count' ? bug.flags.length : storedIn(bug, attribute)),
      indexed: () => indexedBugOf(bug),
      place: this.placeOf(bug),
      flagTypes: this.flagTypesOf(bug.product_id),
      now,
      lastVisit: visits.of(bug.id),
      wordCandidates: NO_CANDIDATES,
      namedComments: [],
      read,
    };
  }

  async #countCostly<T>(read: () => Promise<T>): Promise<T> {
    this.context.budget.costlyReads.take(1);
    return read();
  }
}
