import type { Table } from '../../dynamodb/client.ts';
import { aliasKey, canBeKey } from '../../dynamodb/keys.ts';
import { readItems } from '../../dynamodb/read.ts';
import { errors } from '../../errors.ts';
import { isVisible } from '../permissions.ts';
import { bugPointerItem } from '../schema.ts';
import { entryOfBug, type IndexEntry, mayTakePart } from '../store/index-entry.ts';
import { batches, MAX_BATCH } from './batches.ts';
import type { openBugIndex } from './bug-index.ts';
import { readChanges } from './changes.ts';
import { type Condition, meetsByEntry } from './conditions.ts';
import type { OrderColumn } from './order.ts';
import { bugSets, changedSince, isOnlyAboutChanges, namedBugs } from './plan.ts';
import type { SearchContext } from './search-context.ts';
import { searchField } from './search-fields.ts';
import type { Repositories, SearchReads } from './search-reads.ts';
import type { Claims, CoveredBug } from './searched-bug.ts';
import { readClaims } from './word-claims.ts';

/** Maximum number of bugs that a search returns, and that it reads to decide whether they meet the condition. */
export const MAX_BUGS = 10_000;
/** Bugs that are read to avoid the search index, or to order them by change. */
export const MAX_SHORT_LIST = 1_000;
/** Changes that are read to find the bugs that changed last, or since a time. */
export const MAX_CHANGES = 150_000;
/** Maximum number of products, each of which takes two queries at first. */
const MAX_PRODUCTS = 1_000;

/** A bug as its entry in the search index has it. */
type Covered = CoveredBug & { revision: number; isVisible: boolean };

/** A bug that may meet a condition. */
export interface Candidate {
  bug: { id: number };
  /** absent: the bug has to be read */
  covered?: Covered;
  /** what the search index tells; absent: nothing */
  isMet?: boolean | undefined;
}

/**
 * Finds the bugs that may meet a condition: by their ids, by their changes, or in the search index, whatever costs least.
 */
export function candidateSearch(
  table: Table,
  { words }: Pick<Repositories, 'words'>,
  index: ReturnType<typeof openBugIndex>,
) {
  /** The bugs that may meet a condition by what the index has of them. */
  async function inIndex(condition: Condition, context: SearchContext, reads: SearchReads) {
    const sets = bugSets(condition, await reads.productIndex());
    if (sets.length > 2 * MAX_PRODUCTS) throw errors.searchTooBroad(`${MAX_PRODUCTS} products`);
    const [claims, entries] = await Promise.all([
      readClaims(condition, words, context.isInsider, (count) => reads.countHits(count)),
      index.entriesOf(sets),
      reads.products(sets.map(({ product }) => product)),
    ]);
    const covered = entries
      .filter((entry) => mayBeVisible(entry, context))
      .map((entry): Covered => cover(entry, claims, context, reads));
    context.work.countBugs(covered.filter((one) => one.isVisible).length);
    return covered.flatMap((one): Candidate[] => {
      // What is hidden from the caller must affect neither the result nor what the search may do.
      const decide = () => meetsByEntry(condition, one);
      const isMet = one.isVisible ? decide() : context.work.apart(decide);
      return isMet === false
        ? []
        : [{ bug: one.bug, covered: one, isMet: one.isVisible ? isMet : undefined }];
    });
  }

  async function readNamed({ ids, aliases }: { ids: number[]; aliases: string[] }): Promise<Candidate[]> {
    const pointers = await readItems(table, aliases.filter(canBeKey).map(aliasKey), bugPointerItem);
    const all = new Set([...ids, ...pointers.map(({ bug_id }) => bug_id)]);
    return [...all].sort((a, b) => a - b).map((id) => ({ bug: { id } }));
  }

  /** The ids of the bugs that changed since a time; undefined when there are too many. */
  async function readChanged(since: string): Promise<Set<number> | undefined> {
    const changed = new Set<number>();
    let count = 0;
    for await (const { id } of readChanges(table, { since, expected: MAX_SHORT_LIST })) {
      count += 1;
      changed.add(id);
      if (count > MAX_CHANGES || changed.size > MAX_BUGS) return undefined;
    }
    return changed;
  }

  return async (condition: Condition, context: SearchContext, reads: SearchReads): Promise<Candidate[]> => {
    const named = namedBugs(condition);
    if (named !== undefined) return readNamed(named);
    const since = changedSince(condition);
    const changed = since === undefined ? undefined : await readChanged(since);
    if (changed === undefined) return inIndex(condition, context, reads);
    if (changed.size <= MAX_SHORT_LIST || isOnlyAboutChanges(condition)) {
      return [...changed].sort((a, b) => a - b).map((id) => ({ bug: { id } }));
    }
    return (await inIndex(condition, context, reads)).filter(({ bug }) => changed.has(bug.id));
  };
}

/** The same candidates, of which those are read whose entries omit what they are ordered by. */
export async function withOrder(
  candidates: readonly Candidate[],
  order: readonly OrderColumn[],
  condition: Condition,
  context: SearchContext,
  reads: SearchReads,
): Promise<Candidate[]> {
  const lacks = ({ covered }: Candidate) => covered !== undefined && !hasAll(covered, order);
  const lacking = candidates.filter(lacks);
  if (lacking.filter(({ covered }) => covered?.isVisible).length > MAX_BUGS) {
    throw errors.searchTooBroad(`${MAX_BUGS} bugs`);
  }
  const all = candidates.filter((one) => !lacks(one));
  const claims = candidates[0]?.covered?.claims ?? new Map();
  for await (const batch of batches(lacking, MAX_BATCH)) {
    reads.countUnits(batch.filter(({ covered }) => covered?.isVisible).length);
    const bugs = [...(await reads.bugs(batch.map(({ bug }) => bug.id))).values()];
    await reads.products(bugs.map(({ product_id }) => product_id));
    for (const bug of bugs) {
      if (!isVisible(bug, context.caller)) continue;
      const covered = cover(entryOfBug(bug), claims, context, reads);
      const isMet = meetsByEntry(condition, covered);
      if (isMet !== false) all.push({ bug: covered.bug, covered, isMet });
    }
  }
  return all;
}

/** A bug as its entry has it; its product was read. */
const cover = (
  { bug, omitted, revision }: IndexEntry,
  claims: Claims,
  { caller, visits }: SearchContext,
  reads: SearchReads,
): Covered => ({
  ...{ bug, omitted, revision, claims, claimed: [], lastVisit: visits.of(bug.id) },
  place: reads.placeOf(bug),
  isVisible: isVisible(bug, caller),
});

/** Whether the caller may see a bug; where the index lacks who takes part in it, the bug decides. */
const mayBeVisible = (entry: IndexEntry, { caller }: SearchContext): boolean =>
  isVisible(entry.bug, caller) || (caller.user !== undefined && mayTakePart(entry, caller.user.login));

const hasAll = (one: CoveredBug, order: readonly OrderColumn[]): boolean =>
  one.omitted.size === 0 || order.every(({ field }) => searchField(field)?.ofEntry?.(one) !== undefined);
