import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../base/text.ts';
import type { BugIndex } from '../search/index/bug-index.ts';
import type { Table } from '../table/client.ts';
import type { BugDigest } from './bug-digest.ts';
import type { Operator } from './operator-change.ts';
import type { Place } from './places.ts';
import type { CatalogueSource, Problem } from './schema.ts';
import { NO_ID } from './schema-rules.ts';
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
}

/** Names, normalized. */
export type Names = ReadonlySet<string>;

export const namesOf = (all: Iterable<string>): Names => new Set([...all].map(normalizeName));

/** The references to something that does not exist. */
export const unknownNames = (what: string, references: Place<string>[], known: Names): Problem[] =>
  references
    .filter(({ value }) => !known.has(normalizeName(value)))
    .map(({ value, path }) => ({ path, message: `there is no ${what} '${value}'` }));

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

/** A file that is not a catalogue, or contradicts the table; the message has all validation problems. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/** The error for a list of problems, each with its JSON path; of ids that are missing the first one, with their number. */
export function catalogueError(all: readonly Problem[]): CatalogueError {
  const problems = withoutRepeated(all);
  const lines = problems.map(({ path, message }) => `  ${pathText(path)}: ${message}`);
  const places = problems.length === 1 ? 'one place' : `${problems.length} places`;
  return new CatalogueError(`The catalogue is wrong in ${places}:\n${lines.join('\n')}`);
}

/** A file whose bugs have no ids has one problem, not one for each of them. */
function withoutRepeated(problems: readonly Problem[]): readonly Problem[] {
  const [first, ...others] = problems.filter(({ message }) => message === NO_ID);
  if (first === undefined) return problems;
  const count = ['', ', and so is another one'][others.length] ?? `, and so are ${others.length} others`;
  const message = `${NO_ID}${count}: give each of a kind an id of its own, and new ones above those of the table`;
  return problems.flatMap((one) => {
    if (one === first) return { ...one, message };
    return one.message === NO_ID ? [] : one;
  });
}

/** The path of a line of a file, to be followed by a path in its JSON. */
export const linePath = (line: number): PropertyKey[] => [LINE, line];
const LINE = 'line';

function pathText(path: readonly PropertyKey[]): string {
  const [first, line, ...inLine] = path;
  return first === LINE ? `line ${String(line)}, $${jsonPath(inLine)}` : `$${jsonPath(path)}`;
}

/** A path in the syntax of JSONPath, without the `$` of the root: `.users[0].login`. */
export const jsonPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
