import { isDamaged } from '../../attachments/data.ts';
import { isAttachmentShown } from '../../attachments/permissions.ts';
import type { AttachmentRepository } from '../../attachments/repository.ts';
import type { AttachmentItem } from '../../attachments/schema.ts';
import { isCommentShown } from '../../comments/permissions.ts';
import type { CommentRepository } from '../../comments/repository.ts';
import type { CommentItem } from '../../comments/schema.ts';
import type { WordIndex } from '../../comments/word-index.ts';
import { allowMoreReads } from '../../dynamodb/consumption.ts';
import { readUnits, sizeOf } from '../../dynamodb/item-size.ts';
import { bugPartition } from '../../dynamodb/keys.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { portions } from '../../portions.ts';
import {
  type KnownProduct,
  type KnownProducts,
  type openKnownProducts,
  placeOf,
} from '../../products/known-products.ts';
import type { BugPlace } from '../../products/place.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { ProductIndexEntry } from '../../products/schema.ts';
import { bytes, normalizeName } from '../../text.ts';
import type { UserRepository } from '../../users/repository.ts';
import { indexedBugOf, storedIn } from '../change-log/indexed-bug.ts';
import type { BugItem, HistoryItem } from '../schema.ts';
import { visibleHistory } from '../show/visible-history.ts';
import type { BugRepository } from '../store/repository.ts';
import type { SearchContext } from './search-context.ts';
import type { ReadBug, SearchedBug, WordCandidates } from './searched-bug.ts';

/** Where a search reads from. */
export interface Repositories {
  attachments: AttachmentRepository;
  bugs: BugRepository;
  comments: CommentRepository;
  products: ProductRepository;
  knownProducts: ReturnType<typeof openKnownProducts>;
  users: UserRepository;
  words: WordIndex;
}

interface Bounds {
  /** of bugs whose comments or history a search reads, and of people: each needs a call of its own */
  costlyReads: number;
  /** of bugs, comments, histories and lists of attachments that are read, as far as the caller sees them: one for each 4 KB */
  units: number;
  /** of the word index, about */
  postings: number;
  /** whom they apply to */
  caller: string;
}

const BOUNDS: Bounds = { costlyReads: 1_000, units: 9_000, postings: 300_000, caller: '' };
/** So that a search takes less than 4,000 read units, but for words that most bugs have, and a second of CPU. */
const ANONYMOUS_BOUNDS: Bounds = {
  costlyReads: 500,
  units: 3_200,
  postings: 80_000,
  caller: ' for a caller without an API key',
};
/**
 * Which postings are in hidden bugs is not known when they are counted. The bound of each search differs from the mean by up
 * to this share at random, so that callers cannot find out by it whether a hidden bug has a word.
 */
const SPREAD_OF_POSTINGS = 0.25;
/** Comments that are read before they are counted. */
const COUNTED_COMMENTS = 500;
/** Maximum of comments that a search reads; four times of those that the word index names. */
const MAX_COMMENT_BYTES = 16_000_000;
/** Comments of a bug that are read for one condition because the word index names them. */
const MAX_NAMED_COMMENTS = 4;
/** Maximum of attachments' data that a search reads. */
const MAX_DATA_BYTES = 16_000_000;

/** Read units of comments that are read one by one. */
const unitsOf = (comments: readonly CommentItem[]): number =>
  comments.reduce((sum, { text }) => sum + readUnits(bytes(text)), 0);

/** Read units of a list of items, beyond the first one: a call that is counted otherwise. */
const listUnits = (items: readonly object[]): number => readUnits(sizeOf(items)) - 1;

const NO_CANDIDATES: WordCandidates = new Map();

/** The reads of one search, each done once. */
export class SearchReads {
  readonly #repositories: Repositories;
  readonly #context: SearchContext;
  #dataBytes = 0;
  #commentBytes = 0;
  readonly #realNames = new Map<string, Promise<string>>();
  readonly #products = new Map<number, KnownProduct>();
  #index: Promise<ProductIndexEntry[]> | undefined;
  #costlyReads = 0;
  #units = 0;
  #postingsLeft: number;
  readonly #bounds: Bounds;

  constructor(repositories: Repositories, context: SearchContext) {
    this.#repositories = repositories;
    this.#context = context;
    const isKnown = context.caller.user !== undefined;
    this.#bounds = isKnown ? BOUNDS : ANONYMOUS_BOUNDS;
    if (isKnown) allowMoreReads();
    this.#postingsLeft = this.#bounds.postings * (1 + SPREAD_OF_POSTINGS * (2 * Math.random() - 1));
  }

  /** The product index. */
  productIndex(): Promise<readonly ProductIndexEntry[]> {
    this.#index ??= Array.fromAsync(this.#repositories.products.index()).then((pages) => pages.flat());
    return this.#index;
  }

  /** Products, as far as they are in the index. */
  async products(ids: Iterable<number>): Promise<KnownProducts> {
    const missing = new Set([...ids].filter((id) => !this.#products.has(id)));
    if (missing.size > 0) {
      const index = (await this.productIndex()).filter(({ id }) => missing.has(id));
      const found = await this.#repositories.knownProducts.current(index);
      for (const [id, product] of found) this.#products.set(id, product);
    }
    return this.#products;
  }

  /** Counts the units of bugs and comments that the caller may see: the others must not affect whether a search is refused. */
  countUnits(count: number): void {
    const { units, caller } = this.#bounds;
    this.#units += Math.max(0, count);
    if (this.#units > units) throw errors.searchTooBroad(`${units} bugs and comments of 4 KB${caller}`);
  }

  /** Counts what the word index has of the words of the search. */
  countPostings(count: number): void {
    const { postings, caller } = this.#bounds;
    this.#postingsLeft -= count;
    if (this.#postingsLeft < 0)
      throw errors.searchTooBroad(`about ${postings} hits of words in comments${caller}`);
  }

  /**
   * Reads bugs, each once.
   *
   * @param wanted ids, with the read units that the bugs take, where these are known
   * @param onRead is called with the bugs of each call; an error of it ends the reading
   */
  bugs(
    wanted: readonly (readonly [id: number, units: number | undefined])[],
    onRead: (bugs: BugItem[]) => void,
  ): Promise<void> {
    return this.#repositories.bugs.read(wanted, onRead);
  }

  async searched(bugs: readonly BugItem[]): Promise<SearchedBug[]> {
    await this.products(bugs.map(({ product_id }) => product_id));
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
      this.#countBytes(shown, 4 * MAX_COMMENT_BYTES);
      comments.push(...shown);
    }
    return Map.groupBy(comments, ({ bug_id }) => bug_id);
  }

  #isCommentShown = (comment: CommentItem): boolean => isCommentShown(comment, this.#context.isInsider);

  /** Counts comments that the caller may see: the others must not affect whether a search is refused. */
  #countBytes(comments: readonly CommentItem[], max: number): void {
    this.#commentBytes += comments.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#commentBytes > max) throw errors.searchTooBroad(`${max / 1_000_000} MB of comments`);
  }

  /** What a bug belongs to; its product was read. */
  placeOf(bug: Pick<BugItem, 'product_id' | 'component_id'>): BugPlace {
    return placeOf(bug, this.#products.get(bug.product_id));
  }

  #searched(bug: BugItem): SearchedBug {
    const { attachments, bugs, comments, users } = this.#repositories;
    const { now, caller, isInsider, fields, visits } = this.#context;
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
      flagTypes: this.#products.get(bug.product_id)?.flagTypes ?? [],
      comments: () => {
        readComments ??= this.#countCostly(async () => {
          const all: CommentItem[] = [];
          for await (const page of comments.ofBug(bug.id)) {
            const shown = page.filter(this.#isCommentShown);
            this.#countBytes(shown, MAX_COMMENT_BYTES);
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
        this.#dataBytes += all.reduce((sum, { size }) => sum + size, 0);
        if (this.#dataBytes > MAX_DATA_BYTES) throw errors.searchTooBroad('16 MB of attachments');
        return mapConcurrent(all, async (one) => (await dataOf(one)).toString('utf8'));
      },
      forget: () => {
        readComments = undefined;
        readHistory = undefined;
      },
      history: () => {
        readHistory ??= this.#countCostly(async () => {
          const visible = await visibleHistory(await bugs.history(bug.id), this.#context, fields, readAll);
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
      now,
      lastVisit: visits.of(bug.id),
      wordCandidates: NO_CANDIDATES,
      namedComments: [],
      read,
    };
  }

  /** @throws BugzillaError where the comments of so many bugs may not be read */
  requireCostly(count: number): void {
    const { costlyReads, caller } = this.#bounds;
    if (count <= costlyReads) return;
    throw errors.searchTooBroad(
      `the comments of ${costlyReads} bugs${caller}, which a search for whole words (longdesc_type=anywords) does not need`,
    );
  }

  #countCostly<T>(read: () => Promise<T>): Promise<T> {
    const { costlyReads, caller } = this.#bounds;
    this.#costlyReads += 1;
    if (this.#costlyReads > costlyReads) {
      const limit = `the comments or changes of ${costlyReads} bugs, or ${costlyReads} people${caller}`;
      return Promise.reject(errors.searchTooBroad(limit));
    }
    return read();
  }
}
