import { isTrue } from '../../base/text.ts';
import type { BugFields } from '../../bugs/fields/registry.ts';
import type { LegalValues } from '../../bugs/values.ts';
import type { Workflow } from '../../bugs/workflow.ts';
import type { Caller } from '../../people/caller.ts';
import type { ProductIndexEntry } from '../../products/schema.ts';
import type { RequestBudget } from '../../table/request-budget.ts';
import type { Duplicates } from './duplicates.ts';
import type { NamedPeople } from './named-people.ts';
import type { OwnVisits } from './own-visits.ts';

/** Who searches, with the rights that affect it, and what conditions are read with. */
export interface SearchContext {
  fields: BugFields;
  /** when the search began */
  now: Date;
  caller: Caller;
  /** the caller's login; '' for anonymous callers */
  login: string;
  legal: LegalValues;
  workflow: Workflow;
  /** all products, read since the request began */
  productIndex: Promise<readonly ProductIndexEntry[]>;
  isTimeTracker: boolean;
  isInsider: boolean;
  /** who is named by conditions */
  people: NamedPeople;
  /** which bugs the caller visited */
  visits: OwnVisits;
  duplicates: Duplicates;
  /** what the search may read and compute */
  budget: RequestBudget;
}

/** The parameters of a search: the texts that came under each name. */
export type SearchParameters = ReadonlyMap<string, readonly string[]>;

/** The text of a parameter that takes one; absent: ''. */
export const textOf = (parameters: SearchParameters, name: string): string =>
  parameters.get(name)?.at(-1) ?? '';

/** Whether a parameter means true. */
export const isSet = (parameters: SearchParameters, name: string): boolean =>
  isTrue(textOf(parameters, name));

/** The numbers of the parameters that a pattern names, in their order. */
export function numbersOf(parameters: SearchParameters, pattern: RegExp): string[] {
  return [...parameters.keys()]
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));
}

/** Names that fields had before, which parameters and charts may still use, with those of now. */
export const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['attachments.thedata', 'attach_data.thedata'],
  ['changedin', 'days_elapsed'],
  ['long_desc', 'longdesc'],
  ['tags', 'tag'],
]);
