import { type IndexedBug, indexedValue } from '../../bugs/change-log/indexed-bug.ts';
import type { StoredValue } from '../../bugs/fields/kinds.ts';
import type { SegmentEntry } from './repository.ts';
import type { Segment } from './segment.ts';

/** Which segments a search needs. */
export type SegmentFilter = (segment: SegmentEntry, isOpen: boolean) => boolean;

/** The bugs of some segments, and those that changed since these were written. */
export interface BugIndexView {
  segments: readonly IndexedSegment[];
  /** bugs that are in no segment, or changed since */
  others: Iterable<IndexedBug>;
}

/** A segment, without the bugs that changed since. */
export interface IndexedSegment {
  segment: Segment;
  /** by row: 1 where the bug is among the others */
  hidden: Uint8Array;
}

/** What the index has of a bug. */
export interface IndexedValues {
  id: number;
  /** The value of an attribute, as `indexedAttribute` names it; undefined: the bug has to be read. */
  value(attribute: string): StoredValue | undefined;
}

/** All bugs of a view. */
export function* bugsOf({ segments, others }: BugIndexView): Generator<IndexedValues> {
  for (const { segment, hidden } of segments) {
    for (let row = 0; row < segment.rows; row += 1) {
      if (hidden[row] === 1) continue;
      yield { id: segment.idOf(row), value: (attribute) => segment.value(row, attribute) };
    }
  }
  for (const bug of others) yield { id: bug.id, value: (attribute) => indexedValue(bug, attribute) };
}

/** The ids of the bugs of a product. */
export async function bugsOfProduct(
  index: { read(isWanted: SegmentFilter): Promise<BugIndexView> },
  product: number,
): Promise<number[]> {
  const all = bugsOf(await index.read(() => true));
  return [...all.filter((bug) => bug.value('product_id') === product)].map(({ id }) => id);
}
