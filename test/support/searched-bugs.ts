import { indexedBugOf, storedIn } from '../../lib/bugs/change-log/indexed-bug.ts';
import { BUILT_IN_FIELDS, bugFields } from '../../lib/bugs/fields/registry.ts';
import { type BugInput, type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { legalValues } from '../../lib/bugs/values.ts';
import { DEFAULT_WORKFLOW } from '../../lib/bugs/workflow.ts';
import { anonymous } from '../../lib/people/caller.ts';
import type { BugPlace } from '../../lib/products/place.ts';
import { Duplicates } from '../../lib/search/conditions/duplicates.ts';
import { NamedPeople } from '../../lib/search/conditions/named-people.ts';
import { OwnVisits } from '../../lib/search/conditions/own-visits.ts';
import type { SearchContext } from '../../lib/search/conditions/search-context.ts';
import type { ReadBug, SearchedBug } from '../../lib/search/conditions/searched-bug.ts';
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

/** A bug as a search looks at it, with the texts of its comments. */
export function searchedBugWith(
  fields: Partial<BugInput> = {},
  place: Partial<BugPlace> = {},
  texts: string[] = [],
): SearchedBug {
  const bug = bugWith(fields);
  const comment = { creator: bug.reporter, creation_time: TIME, is_private: false, attachment_id: null };
  const read: ReadBug = {
    bug,
    forget: () => undefined,
    comments: async () =>
      texts.map((text, count) => ({
        ...comment,
        ...{ id: count + 1, bug_id: bug.id, count, text, work_time: 0, tags: [] },
      })),
    attachments: async () => [],
    attachmentTexts: async () => [],
    history: async () => [],
    realName: async () => 'Ann Other',
  };
  return {
    id: bug.id,
    value: (attribute) => storedIn(bug, attribute),
    indexed: () => indexedBugOf(bug),
    now: new Date('2024-05-15T13:45:30Z'),
    lastVisit: undefined,
    place: { product: 'Telescope', component: 'Lens', classification: 'Apps', ...place },
    flagTypes: [],
    wordCandidates: new Map(),
    namedComments: [],
    read,
  };
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
