import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../base/text.ts';
import type { BugIndex } from '../search/index/bug-index.ts';
import type { Table } from '../table/client.ts';
import type { BugDigest } from './bug-digest.ts';
import type { Operator } from './operator-change.ts';
import type { CatalogueSource, Problem } from './schema.ts';
import type { Counts, SummaryCounter } from './summary.ts';

/** What applying one kind of entries of a catalogue writes, computed from the table before anything is written. */
export interface PlanOfKind {
  /** where the catalogue contradicts the table: it must not be executed */
  problems: Problem[];
  /** @throws ConditionFailed when the table was changed since */
  execute(): Promise<void>;
}

export interface PlanContext {
  table: Table;
  /** of the bugs that the table has */
  index: BugIndex;
  catalogue: CatalogueSource;
  digest: BugDigest;
  counter: SummaryCounter;
  /** absent: changed bugs keep the history and times of the catalogue */
  operator: Operator | undefined;
  /** whether entries of the catalogue are as it has them, and have nothing else: see ApplyOptions */
  isWhole: boolean;
  /** waits, in milliseconds, until every instance has seen what was written */
  pause: (ms: number) => Promise<unknown>;
}

/** A name in the catalogue of something that the catalogue or the table must have. */
export interface Reference {
  name: string;
  path: PropertyKey[];
}

/** Names in a list of the catalogue, with their places. */
export const referencesIn = (names: readonly string[] = [], ...path: PropertyKey[]): Reference[] =>
  names.map((name, index) => ({ name, path: [...path, index] }));

/** Names, normalized. */
export type Names = ReadonlySet<string>;

export const namesOf = (all: Iterable<string>): Names => new Set([...all].map(normalizeName));

/** The references to something that does not exist. */
export const unknownNames = (what: string, references: Reference[], known: Names): Problem[] =>
  references
    .filter(({ name }) => !known.has(normalizeName(name)))
    .map(({ name, path }) => ({ path, message: `there is no ${what} '${name}'` }));

type PlanOutcome = keyof Counts;

export const outcomeOf = (existing: unknown, isChanged: boolean): PlanOutcome =>
  isChanged ? (existing === undefined ? 'added' : 'changed') : 'unchanged';

/** Writes what differs from what is stored. */
export async function putChanged<T>(
  existing: T | undefined,
  desired: T,
  put: (desired: T) => Promise<void>,
): Promise<PlanOutcome> {
  const isChanged = !isDeepStrictEqual(existing, desired);
  if (isChanged) await put(desired);
  return outcomeOf(existing, isChanged);
}
