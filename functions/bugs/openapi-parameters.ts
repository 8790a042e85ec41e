import * as z from 'zod/mini';
import { type Parameter, param, parameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';

/** A bug in the path. */
export const bugPath = {
  id_or_alias: {
    text: 'The id of a bug, or else one of its aliases.',
    type: () => z.string(),
    example: 'blurry-moon',
  },
};

export const bugErrors = [
  errors.bugAliasUnknown('no-such-alias'),
  errors.bugUnknown('9999'),
  errors.bugAccessDenied('7'),
];

/** A parameter of the search that selects by one field. */
const criterion = (text: string, example?: unknown): Parameter =>
  param(z.array(z.string()), text, example === undefined ? {} : { example });
const criteria = (text: string, ...names: string[]): Record<string, Parameter> =>
  Object.fromEntries(names.map((name) => [name, criterion(text)]));

const EXACT = 'Exact, in any case; repeated: one of them.';
const WORDS = 'Parts of words, in any case: all of them.';
const USERS = 'Parts of logins, separated by spaces or commas: one of them.';
const SINCE = 'At this time or later.';
const count = z.int().check(z.gte(0));

/** The usual parameters of the search, which takes any text: lib/search/conditions/parameters.ts reads them. */
export const searchParameters = parameters({
  id: criterion('Ids, also separated by commas.', ['1,2']),
  alias: criterion('Aliases, also separated by commas.'),
  ...criteria(EXACT, 'product', 'component', 'classification', 'version', 'target_milestone'),
  status: criterion(`${EXACT} \`__open__\`, \`__closed__\` and \`__all__\` stand for several.`, ['__open__']),
  resolution: criterion(`${EXACT} \`---\` is that of open bugs.`),
  ...criteria(EXACT, 'priority', 'severity', 'platform', 'op_sys'),
  ...criteria(USERS, 'assigned_to', 'creator', 'qa_contact', 'cc'),
  ...criteria(WORDS, 'summary', 'whiteboard', 'url'),
  longdesc: criterion('Parts of comments, separated by spaces or commas: one of them.'),
  keywords: criterion('Whole keywords, in any case: all of them; `keywords_type`: `anywords`, `nowords`.'),
  ...criteria('Ids of bugs: one of them.', 'blocks', 'depends_on'),
  is_confirmed: criterion('`0` or `1`.'),
  creation_time: param(z.string(), SINCE),
  last_change_time: param(
    z.string(),
    `${SINCE} A change may become visible up to 30 s after its time: a poller asks from 30 s before the time of its last search, and ignores changes that it has seen.`,
    { example: '2026-03-01' },
  ),
  quicksearch: param(z.string(), "Bugzilla's quicksearch; of open bugs, unless it says otherwise.", {
    example: 'moon',
  }),
  f1: param(z.string(), 'The internal name of a field; with `o1` and `v1` a condition, and so `f2`, …'),
  o1: param(z.string(), 'The operator of `f1`.'),
  v1: param(z.string(), 'The value that `f1` is compared with.'),
  savedsearch: param(
    z.string(),
    'The name of a saved search that is run: of the caller, or of the user `sharer_id`; also as `cmdtype=runnamed` with `namedcmd`. Other conditions are ignored.',
  ),
  order: param(
    z.string(),
    'Names of fields, separated by commas, each perhaps with ` DESC`. Without it: by id.',
    { example: 'changeddate DESC' },
  ),
  list_order: param(
    z.string(),
    "The `order` of Bugzilla's lists, which wins over `order`: also `Importance`, `Assignee`, `Last Changed`, `Bug Number`; empty: by status, priority, assignee and id.",
    { example: 'Importance' },
  ),
  limit: param(count, 'At most so many; 0: all, of which there are at most 10,000.', { example: 10 }),
  count_only: param(z.boolean(), 'Whether to return only `bug_count`, whatever the limit.'),
  count_total: param(
    z.boolean(),
    'Whether to return `total_matches` in any case, which may take as much as `count_only`.',
  ),
  offset: param(count, 'So many are left out first. Takes a `limit`.'),
});

export const flagErrors = [
  errors.parameterMissing('flags'),
  errors.flagUnknown('nosuch'),
  errors.flagStatusInvalid('needinfo', '*'),
  errors.flagNotAllowed('blocker', '+'),
  errors.flagRequesteeNotAllowed('blocker'),
  errors.flagNotUnique('needinfo'),
  errors.flagTypeNotUnique('needinfo'),
  errors.flagTypeInactive('retired'),
  errors.flagNotMultiplicable('blocker'),
  errors.flagRequesteeDenied('dev@bugless.example'),
];
