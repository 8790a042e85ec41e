import { BUILT_IN_FIELDS, bugFields } from '../../lib/bugs/fields/registry.ts';
import { type BugInput, type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { legalValues } from '../../lib/bugs/values.ts';
import { DEFAULT_WORKFLOW } from '../../lib/bugs/workflow.ts';
import { anonymous } from '../../lib/people/caller.ts';
import { Duplicates } from '../../lib/search/conditions/duplicates.ts';
import { NamedPeople } from '../../lib/search/conditions/named-people.ts';
import { OwnVisits } from '../../lib/search/conditions/own-visits.ts';
import type { SearchContext } from '../../lib/search/conditions/search-context.ts';
import { RequestBudget } from '../../lib/table/request-budget.ts';

const TIME = '2024-01-02T00:00:00Z';

/** A stored bug with these fields. */
export function bugWith(fields: Partial<BugInput> = {}): BugItem {
  return bugItem.parse({
    id: 1,
    aliases: [],
    product_id: 1,
    component_id: 1,
    version: '1.0',
    summary: 'Moon is blurry',
    status: 'CONFIRMED',
    reporter: 'reporter@example.com',
    assigned_to: 'assignee@example.com',
    qa_contact: '',
    cc: [],
    groups: [],
    creation_time: TIME,
    last_change_time: TIME,
    comment_count: 1,
    last_comment_time: TIME,
    hours_worked: 0,
    is_confirmed: true,
    revision: 0,
    ...fields,
  });
}

/** The fields of a deployment without custom ones. */
export const FIELDS = bugFields(BUILT_IN_FIELDS);

/** What conditions are read with, for a user who tracks time. */
export const SEARCH_CONTEXT: SearchContext = {
  fields: FIELDS,
  now: new Date('2024-05-15T13:45:30Z'),
  caller: anonymous,
  login: 'user@example.com',
  workflow: DEFAULT_WORKFLOW,
  productIndex: Promise.resolve([]),
  legal: legalValues.parse({}),
  isTimeTracker: true,
  isInsider: true,
  people: new NamedPeople(anonymous),
  visits: new OwnVisits(anonymous),
  duplicates: new Duplicates(),
  get budget() {
    return new RequestBudget();
  },
};
