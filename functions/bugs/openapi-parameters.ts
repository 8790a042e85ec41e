import * as z from 'zod/mini';
import { type DocumentedParameter, parametersOf } from '../../lib/openapi/documentation.ts';
import { bugUpdate, newBug } from './schemas.ts';

const texts = z.array(z.string());

/** A parameter of the search that selects by one field. */
const criterion = (name: string, text: string, example?: unknown): DocumentedParameter => ({
  name,
  schema: texts,
  text,
  ...(example === undefined ? {} : { example }),
});

const EXACT = 'Exact, in any case; repeated: one of them.';
const WORDS = 'Parts of words, in any case: all of them.';
const USERS = 'Parts of logins, separated by spaces or commas: one of them.';
const SINCE = 'At this time or later.';

export const searchParameters: DocumentedParameter[] = [
  criterion('id', 'Ids, also separated by commas.', ['1,2']),
  criterion('alias', 'Aliases, also separated by commas.'),
  ...['product', 'component', 'classification', 'version', 'target_milestone'].map((name) =>
    criterion(name, EXACT),
  ),
  criterion('status', `${EXACT} \`__open__\`, \`__closed__\` and \`__all__\` stand for several.`, [
    '__open__',
  ]),
  criterion('resolution', `${EXACT} \`---\` is that of open bugs.`),
  ...['priority', 'severity', 'platform', 'op_sys'].map((name) => criterion(name, EXACT)),
  ...['assigned_to', 'creator', 'qa_contact', 'cc'].map((name) => criterion(name, USERS)),
  ...['summary', 'whiteboard', 'url'].map((name) => criterion(name, WORDS)),
  criterion('longdesc', 'Parts of comments, separated by spaces or commas: one of them.'),
  criterion('keywords', 'Whole keywords, in any case: all of them; `keywords_type`: `anywords`, `nowords`.'),
  ...['blocks', 'depends_on'].map((name) => criterion(name, 'Ids of bugs: one of them.')),
  criterion('is_confirmed', '`0` or `1`.'),
  { name: 'creation_time', schema: z.string(), text: SINCE },
  { name: 'last_change_time', schema: z.string(), text: SINCE, example: '2026-03-01' },
  {
    name: 'quicksearch',
    schema: z.string(),
    text: "Bugzilla's quicksearch; of open bugs, unless it says otherwise.",
    example: 'moon',
  },
  {
    name: 'f1',
    schema: z.string(),
    text: 'The internal name of a field; with `o1` and `v1` a condition, and so `f2`, …',
  },
  { name: 'o1', schema: z.string(), text: 'The operator of `f1`.' },
  { name: 'v1', schema: z.string(), text: 'The value that `f1` is compared with.' },
  {
    name: 'order',
    schema: z.string(),
    text: 'Names of fields, separated by commas, each perhaps with ` DESC`. Without it: by id.',
    example: 'changeddate DESC',
  },
  {
    name: 'limit',
    schema: z.int().check(z.gte(0)),
    text: 'At most so many; 0: all, of which there are at most 10,000.',
    example: 10,
  },
  { name: 'offset', schema: z.int().check(z.gte(0)), text: 'So many are left out first. Takes a `limit`.' },
];

const LOGIN = 'A login.';
const LEGAL = 'One of the legal values, in any case: see `/rest/field/bug`.';
const LIST = 'An object with `add` and `remove`.';
const SETTABLE = 'An object with `add` and `remove`, or `set`.';

export const creationParameters = parametersOf(newBug, {
  product: { text: 'The name of a product to enter bugs against.', required: true, example: 'Telescope' },
  component: { text: 'The name of an active component.', required: true, example: 'Lens' },
  summary: { text: 'At most 255 characters.', required: true, example: 'The moon is blurry at the edges' },
  version: { text: 'The name of an active version.', required: true, example: '2.0' },
  default_version: { text: 'What is taken where `version` is absent.' },
  op_sys: { text: `${LEGAL} Absent: All.` },
  platform: { text: `${LEGAL} Absent: All.` },
  severity: { text: LEGAL },
  priority: { text: LEGAL },
  target_milestone: { text: "A milestone; absent: the product's default." },
  status: { text: 'An open status; only for users in `editbugs`.' },
  resolution: { text: 'A new bug has none.' },
  dupe_of: { text: 'A new bug is no duplicate.' },
  description: { text: 'The comment 0, at most 65,535 characters.', example: 'Since yesterday.' },
  comment: { text: 'The same as `description`.' },
  comment_is_private: { text: 'Whether only insiders see the description; takes being one.' },
  alias: { text: 'Other names: no numbers, white space or commas, at most 40 characters each.' },
  assigned_to: { text: `${LOGIN} Absent: the component's. Only for users in \`editbugs\`.` },
  qa_contact: { text: `${LOGIN} Absent: the component's. Only for users in \`editbugs\`.` },
  cc: { text: 'Logins.' },
  groups: { text: 'Groups that the product has for its bugs; absent: those that it proposes.' },
  keywords: { text: 'Names of keywords.' },
  whiteboard: { text: 'Notes.' },
  url: { text: 'An address that belongs to the bug.' },
  see_also: { text: 'Addresses of bugs in other trackers, or ids of bugs here.' },
  blocks: { text: 'Ids or aliases of bugs that wait for this one. Only for users in `editbugs`.' },
  depends_on: { text: 'Ids or aliases of bugs that this one waits for. Only for users in `editbugs`.' },
  deadline: { text: 'A date. Only for time trackers.' },
  estimated_time: { text: 'Hours. Only for time trackers.' },
  is_creator_accessible: { text: 'Whether the reporter sees the bug without its groups.' },
  is_cc_accessible: { text: 'Whether users on CC see the bug without its groups.' },
  flags: { text: 'Bugless has no flags: an empty list.', type: z.array(z.object({})) },
});

export const updateParameters = parametersOf(bugUpdate, {
  ids: { text: 'Ids or aliases of further bugs, at most 50.' },
  alias: { text: `${SETTABLE} A text or list stands for \`set\`.` },
  assigned_to: { text: LOGIN },
  blocks: { text: `${SETTABLE} Ids or aliases.` },
  cc: { text: `${LIST} Logins.` },
  comment: {
    text: 'A comment to add: the text, as `body` or `comment` of an object or by itself. `is_private`: whether only insiders see it.',
    example: { body: 'Fixed: the lens was dirty.', is_private: false },
  },
  comment_is_private: { text: 'Whether comments are private, by their ids. Takes being an insider.' },
  comment_tags: { text: 'Tags for the comment that is added. Takes the group of comment taggers.' },
  component: { text: 'A component of the product.' },
  deadline: { text: 'A date; empty: none. Only for time trackers.' },
  depends_on: { text: `${SETTABLE} Ids or aliases.` },
  dupe_of: { text: 'The bug that this one is a duplicate of: it is resolved so.' },
  estimated_time: { text: 'Hours. Only for time trackers.' },
  flags: { text: 'Bugless has no flags: an empty list.', type: z.array(z.object({})) },
  groups: { text: `${LIST} Groups that the product has for its bugs, and that the caller is in.` },
  is_cc_accessible: { text: 'Whether users on CC see the bug without its groups.' },
  is_creator_accessible: { text: 'Whether the reporter sees the bug without its groups.' },
  keywords: { text: `${SETTABLE} Names of keywords.` },
  op_sys: { text: LEGAL },
  platform: { text: LEGAL },
  priority: { text: LEGAL },
  product: { text: 'The product to move to: component, version and milestone have to exist there.' },
  qa_contact: { text: `${LOGIN} Empty: none.` },
  remaining_time: { text: 'Hours. Only for time trackers.' },
  reset_assigned_to: { text: "Whether the component's default assignee becomes the assignee." },
  reset_qa_contact: { text: "Whether the component's default QA contact becomes the QA contact." },
  resolution: { text: `${LEGAL} Required where a bug is closed.`, example: 'FIXED' },
  see_also: { text: `${LIST} Addresses of bugs in other trackers, or ids of bugs here.` },
  severity: { text: LEGAL },
  status: {
    text: 'A status that the workflow has after the current one: see `/rest/field/bug/bug_status`.',
    example: 'RESOLVED',
  },
  summary: { text: 'At most 255 characters.' },
  target_milestone: { text: 'A milestone of the product.' },
  url: { text: 'An address that belongs to the bug.' },
  version: { text: 'A version of the product.' },
  whiteboard: { text: 'Notes.' },
  work_time: { text: 'Hours to add to those worked. Only for time trackers.', type: z.number() },
});
