import type { Caller } from '../../users/caller.ts';
import type { BugFields } from '../fields/registry.ts';
import type { LegalValues } from '../values.ts';
import type { OwnVisits } from './own-visits.ts';
import type { SearchWork } from './search-work.ts';

/** The caller of a search, and the rights that affect it. */
export interface Searcher {
  fields: BugFields;
  caller: Caller;
  isInsider: boolean;
  isTimeTracker: boolean;
  legal: LegalValues;
  now: Date;
  visits: OwnVisits;
  work: SearchWork;
}
