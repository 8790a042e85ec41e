import { type IndexedBug, indexedValue } from '../bugs/change-log/indexed-bug.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import type { StoredValue } from '../bugs/fields/kinds.ts';
import type { Restricted } from '../bugs/permissions.ts';
import type { BugPlace } from '../products/place.ts';
import type { FlagTypeItem } from '../products/schema.ts';
import type { SearchedBug, WordCandidates } from './conditions/searched-bug.ts';
import type { Segment } from './index/segment.ts';

/** What searches know of a bug beside what the index has of it. */
export interface IndexSurroundings {
  /** when the search began */
  now: Date;
  wordCandidates: WordCandidates;
  placeOf(bug: Pick<IndexedBug, 'product_id' | 'component_id'>): BugPlace;
  flagTypesOf(product: number): readonly FlagTypeItem[];
  visitOf(id: number): string | undefined;
}

/** What decides who sees a bug, which the index always has. */
export const restrictedOf = (bug: SearchedBug): Restricted => ({
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
export const searchedEntry = (
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
export class SegmentBug implements SearchedBug {
  row: number;
  namedComments: readonly CommentItem[] = [];
  readonly segment: Segment;
  readonly #surroundings: IndexSurroundings;

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

  indexed(): IndexedBug | undefined {
    return this.segment.bug(this.row);
  }
}
