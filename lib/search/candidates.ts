import { canBeKey } from '../base/names.ts';
import { type IndexedBug, indexedValue } from '../bugs/change-log/indexed-bug.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import type { StoredValue } from '../bugs/fields/kinds.ts';
import { isVisible, type Restricted } from '../bugs/permissions.ts';
import { bugPointerItem } from '../bugs/schema.ts';
import { errors } from '../errors.ts';
import type { BugPlace } from '../products/place.ts';
import type { FlagTypeItem } from '../products/schema.ts';
import type { Table } from '../table/client.ts';
import { aliasKey } from '../table/keys.ts';
import { readItems } from '../table/read.ts';
import { type Answer, type Condition, meets } from './conditions/conditions.ts';
import { byValue, type SearchedBug, type WordCandidates } from './conditions/searched-bug.ts';
import { readWordCandidates } from './conditions/word-candidates.ts';
import type { BugIndex } from './index/bug-index.ts';
import { isInClosedSegment, type Segment } from './index/segment.ts';
import { changedSince, namedBugs, planOf } from './plan.ts';
import type { Repositories, SearchReads } from './search-reads.ts';

/** Maximum number of products, each of which takes a read at first. */
const MAX_SEARCHED_PRODUCTS = 1_000;

/** A bug that may meet a condition. */
export interface Candidate {
  id: number;
  /** what is known of it; absent: it has to be read */
  known?: SearchedBug;
  /** whether it meets the condition, as far as that is known */
  isMet?: Answer;
}

/** Finds the bugs that may meet a condition: by their ids, or in the search index. */
export function candidateSearch(table: Table, { words }: Pick<Repositories, 'words'>, index: BugIndex) {
  async function readNamed({ ids, aliases }: { ids: number[]; aliases: string[] }): Promise<Candidate[]> {
    const pointers = await readItems(table, aliases.filter(canBeKey).map(aliasKey), bugPointerItem);
    const all = new Set([...ids, ...pointers.map(({ bug_id }) => bug_id)]);
    return [...all].sort((a, b) => a - b).map((id) => ({ id }));
  }

  /** The bugs that may meet a condition by what the index has of them, ordered by id. */
  async function inIndex(condition: Condition, reads: SearchReads) {
    const { context } = reads;
    const { products, isOpenWanted, isClosedWanted } = planOf(
      condition,
      await context.productIndex,
      context.workflow,
    );
    if (products.size > MAX_SEARCHED_PRODUCTS)
      throw errors.searchTooBroad(`${MAX_SEARCHED_PRODUCTS} products`);
    const since = changedSince(condition) ?? '';
    const [wordCandidates, view] = await Promise.all([
      readWordCandidates(condition, words, context.isInsider, (count) => context.budget.postings.take(count)),
      index.read(({ changed }, isOpen) => (isOpen ? isOpenWanted : isClosedWanted) && changed >= since),
      reads.products(products),
    ]);
    const surroundings: IndexSurroundings = {
      ...{ wordCandidates, now: context.now },
      placeOf: (place) => reads.placeOf(place),
      flagTypesOf: (product) => reads.flagTypesOf(product),
      visitOf: (id) => context.visits.of(id),
    };
    const isWantedProduct = (value: unknown) => products.has(Number(value));
    const isOfProducts = byValue('product_id', (bug) => isWantedProduct(bug.value('product_id')));
    const isSeenByAll = byValue('groups', (bug) => isEmpty(bug.value('groups')));
    // What is hidden from the caller must affect neither the result nor what the search may do.
    const isExamined = (bug: SearchedBug) =>
      isOfProducts(bug) && (isSeenByAll(bug) || isVisible(restrictedOf(bug), context.caller));
    const { bugComparisons, comparisons } = context.budget;
    const found: Candidate[] = [];
    /** Notes a bug that may meet the condition. @param copy gives what is kept of it */
    const examine = (bug: SearchedBug, copy: () => SearchedBug) => {
      bugComparisons.take(comparisons.taken);
      const isMet = meets(condition, bug);
      if (isMet === false) return;
      found.push({ id: bug.id, known: copy(), isMet: isMet instanceof Promise ? undefined : isMet });
    };
    for (const { segment, hidden } of view.segments) {
      const bug = new SegmentBug(segment, surroundings);
      const copy = () => bug.copy();
      const areExamined =
        everyValue(segment, 'product_id', isWantedProduct) && everyValue(segment, 'groups', isEmpty);
      for (let row = 0; row < segment.rows; row += 1) {
        if (hidden[row] === 1) continue;
        bug.row = row;
        if (areExamined || isExamined(bug)) examine(bug, copy);
      }
    }
    for (const entry of view.others) {
      const isWanted = isInClosedSegment(entry.status) ? isClosedWanted : isOpenWanted;
      const bug = searchedEntry(entry, surroundings);
      if (isWanted && isExamined(bug)) examine(bug, () => bug);
    }
    return found.sort((a, b) => a.id - b.id);
  }

  return async (condition: Condition, reads: SearchReads): Promise<Candidate[]> => {
    const named = namedBugs(condition);
    return named === undefined ? inIndex(condition, reads) : readNamed(named);
  };
}

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

/** Whether all bugs of a segment have such values. */
function everyValue(segment: Segment, attribute: string, isSuch: (value: unknown) => boolean): boolean {
  const column = segment.column(attribute);
  if (column === undefined || column.size === segment.rows) return false;
  for (let code = 0; code < column.size; code += 1) if (!isSuch(column.value(code))) return false;
  return true;
}

/** What searches know of a bug beside what the index has of it. */
interface IndexSurroundings {
  /** when the search began */
  now: Date;
  wordCandidates: WordCandidates;
  placeOf(bug: Pick<IndexedBug, 'product_id' | 'component_id'>): BugPlace;
  flagTypesOf(product: number): readonly FlagTypeItem[];
  visitOf(id: number): string | undefined;
}

/** What decides who sees a bug, which the index always has. */
const restrictedOf = (bug: SearchedBug): Restricted => ({
  groups: textsIn(bug.value('groups')),
  cc: textsIn(bug.value('cc')),
  reporter: String(bug.value('reporter')),
  assigned_to: String(bug.value('assigned_to')),
  qa_contact: String(bug.value('qa_contact')),
  is_creator_accessible: bug.value('is_creator_accessible') === true,
  is_cc_accessible: bug.value('is_cc_accessible') === true,
});

const textsIn = (value: StoredValue | undefined): string[] =>
  [value].flat().filter((one) => typeof one === 'string');

/** A bug that changed since the segment of its range was written. */
const searchedEntry = (
  bug: IndexedBug,
  { now, wordCandidates, placeOf, flagTypesOf, visitOf }: IndexSurroundings,
): SearchedBug => ({
  ...{ id: bug.id, units: bug.units, now, wordCandidates, namedComments: [] },
  value: (attribute) => indexedValue(bug, attribute),
  indexed: () => bug,
  place: placeOf(bug),
  flagTypes: flagTypesOf(bug.product_id),
  lastVisit: visitOf(bug.id),
});

/** A bug in a segment. A scan looks at one row after the other. */
class SegmentBug implements SearchedBug {
  row: number;
  namedComments: readonly CommentItem[] = [];
  readonly segment: Segment;
  readonly #surroundings: IndexSurroundings;
  #indexed: IndexedBug | undefined;

  constructor(segment: Segment, surroundings: IndexSurroundings, row = 0) {
    this.segment = segment;
    this.#surroundings = surroundings;
    this.row = row;
  }

  /** The bug of this row. */
  copy(): SegmentBug {
    return new SegmentBug(this.segment, this.#surroundings, this.row);
  }

  get at(): this {
    return this;
  }

  get id(): number {
    return this.segment.idOf(this.row);
  }

  get units(): number | undefined {
    return this.segment.unitsOf(this.row);
  }

  get now(): Date {
    return this.#surroundings.now;
  }

  get wordCandidates(): WordCandidates {
    return this.#surroundings.wordCandidates;
  }

  get place(): BugPlace {
    const [product_id, component_id] = ['product_id', 'component_id'].map((one) => Number(this.value(one)));
    return this.#surroundings.placeOf({ product_id: product_id ?? 0, component_id: component_id ?? 0 });
  }

  get flagTypes(): readonly FlagTypeItem[] {
    return this.#surroundings.flagTypesOf(Number(this.value('product_id')));
  }

  get lastVisit(): string | undefined {
    return this.#surroundings.visitOf(this.id);
  }

  value(attribute: string): StoredValue | undefined {
    return this.segment.value(this.row, attribute);
  }

  /** It is made once of a row. */
  indexed(): IndexedBug | undefined {
    if (this.#indexed?.id !== this.id) this.#indexed = this.segment.bug(this.row);
    return this.#indexed;
  }
}

const FIRST_BATCH = 25;
/** Bugs that are read together at most. */
export const MAX_BATCH = 1_600;

/** Read units of bugs that are read together, about: 16 MB. */
const MAX_BATCH_UNITS = 4_000;

/**
 * Batches of increasing size, so that a small limit reads few bugs.
 *
 * @param unitsOf read units that one may take
 */
export async function* batches<T>(
  candidates: AsyncIterable<T> | Iterable<T>,
  needed: number,
  unitsOf: (candidate: T) => number,
): AsyncGenerator<T[]> {
  let size = Math.min(Math.max(needed, FIRST_BATCH), MAX_BATCH);
  let batch: T[] = [];
  let units = 0;
  for await (const candidate of candidates) {
    batch.push(candidate);
    units += unitsOf(candidate);
    if (batch.length < size && units < MAX_BATCH_UNITS) continue;
    yield batch;
    batch = [];
    units = 0;
    size = Math.min(size * 2, MAX_BATCH);
  }
  if (batch.length > 0) yield batch;
}
