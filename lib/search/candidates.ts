import { canBeKey } from '../base/names.ts';
import { isVisible } from '../bugs/permissions.ts';
import { bugPointerItem } from '../bugs/schema.ts';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { aliasKey } from '../table/keys.ts';
import { readItems } from '../table/read.ts';
import { type Answer, type Condition, meets } from './conditions/conditions.ts';
import type { SearchContext } from './conditions/search-context.ts';
import { byValue, type SearchedBug } from './conditions/searched-bug.ts';
import { readWordCandidates } from './conditions/word-candidates.ts';
import type { BugIndex } from './index/bug-index.ts';
import { isInClosedSegment } from './index/partition.ts';
import type { Segment } from './index/segment.ts';
import { type IndexSurroundings, restrictedOf, SegmentBug, searchedEntry } from './indexed-bugs.ts';
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
  async function inIndex(condition: Condition, context: SearchContext, reads: SearchReads) {
    const { products, isOpenWanted, isClosedWanted } = planOf(
      condition,
      await reads.productIndex(),
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

  return async (condition: Condition, context: SearchContext, reads: SearchReads): Promise<Candidate[]> => {
    const named = namedBugs(condition);
    return named === undefined ? inIndex(condition, context, reads) : readNamed(named);
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
