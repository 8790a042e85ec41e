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
