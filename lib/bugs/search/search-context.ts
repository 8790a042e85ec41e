import type { BugFields } from '../fields/registry.ts';
import type { LegalValues } from '../values.ts';
import type { NamedPeople } from './named-people.ts';
import type { OwnVisits } from './own-visits.ts';
import type { SearchWork } from './search-work.ts';

/** What conditions are read with. */
export interface SearchContext {
  fields: BugFields;
  now: Date;
  /** the caller's login; '' for anonymous callers */
  login: string;
  legal: LegalValues;
  isTimeTracker: boolean;
  isInsider: boolean;
  /** who is named by conditions */
  people: NamedPeople;
  /** which bugs the caller visited */
  visits: OwnVisits;
  /** counts what the conditions of the search compute */
  work: SearchWork;
}
