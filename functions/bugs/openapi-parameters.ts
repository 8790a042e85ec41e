import * as z from 'zod/mini';
import { kindOf } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, type CreatedRow, type UpdatedRow } from '../../lib/bugs/fields/registry.ts';
import { errors } from '../../lib/errors.ts';
import {
  type DocumentedParameter,
  type ParameterText,
  parametersOf,
} from '../../lib/openapi/documentation.ts';
import { bugUpdate, newBug } from './schemas.ts';

/** A bug in the path. */
export const bugPath = {
  id_or_alias: {
    text: 'The id of a bug, or else one of its aliases.',
    type: z.string(),
    example: 'blurry-moon',
  },
};

export const bugErrors = [
  errors.bugAliasUnknown('no-such-alias'),
  errors.bugUnknown('9999'),
  errors.bugAccessDenied('7'),
];

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
  {
    name: 'last_change_time',
    schema: z.string(),
    text: `${SINCE} A change may become visible up to 30 s after its time: a poller asks from 30 s before the time of its last search, and ignores changes that it has seen.`,
    example: '2026-03-01',
  },
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
  {
    name: 'count_only',
    schema: z.boolean(),
    text: 'Whether to return only `bug_count`, whatever the limit.',
  },
  { name: 'offset', schema: z.int().check(z.gte(0)), text: 'So many are left out first. Takes a `limit`.' },
];

const RIGHT_TEXTS: Readonly<Record<string, string>> = {
  editors: 'Only for users in `editbugs`.',
  timetrackers: 'Only for time trackers.',
};

const EXAMPLES: Readonly<Record<string, { created?: string; updated?: string }>> = {
  product: { created: 'Telescope' },
  component: { created: 'Lens' },
  summary: { created: 'The moon is blurry at the edges' },
  version: { created: '2.0' },
  status: { updated: 'RESOLVED' },
  resolution: { updated: 'FIXED' },
};

/** The texts of the parameters that are fields, by name. */
function fieldTexts(mode: 'created'): Record<CreatedRow['rest'], ParameterText>;
function fieldTexts(mode: 'updated'): Record<UpdatedRow['rest'], ParameterText>;
function fieldTexts(mode: 'created' | 'updated'): object {
  return Object.fromEntries(
    BUILT_IN_FIELDS.map((field): [string, ParameterText] => {
      const { both, update } = kindOf(field).texts;
      const right =
        mode === 'created' || field[mode] === 'timetrackers' ? RIGHT_TEXTS[field[mode] ?? ''] : '';
      const parts = [field.description, both, mode === 'updated' ? update : '', right];
      const example = EXAMPLES[field.rest ?? '']?.[mode];
      return [
        field.rest ?? '',
        {
          text: parts.filter(Boolean).join(' '),
          ...(mode === 'created' && field.isMandatory ? { required: true } : {}),
          ...(example === undefined ? {} : { example }),
        },
      ];
    }),
  );
}

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

export const FLAGS: ParameterText = {
  text: 'Flags to set: each by `id`, `type_id` or `name`, with a `status` (`?`, `+`, `-`, or `X` to clear it) and perhaps a `requestee`. `new`: whether a further one is set.',
  type: z.array(z.looseObject({})),
};

export const creationParameters = parametersOf(newBug, {
  ...fieldTexts('created'),
  default_version: { text: 'What is taken where `version` is absent.' },
  description: { text: 'The comment 0, at most 65,535 characters.', example: 'Since yesterday.' },
  comment: { text: 'The same as `description`.' },
  comment_is_private: { text: 'Whether only insiders see the description; takes being one.' },
  comment_tags: { text: 'Tags for the description. Takes the group of comment taggers.' },
  flags: FLAGS,
});

export const updateParameters = parametersOf(bugUpdate, {
  ...fieldTexts('updated'),
  ids: { text: 'Ids or aliases of further bugs, at most 50.' },
  comment: {
    text: 'A comment to add: the text, as `body` or `comment` of an object or by itself. `is_private`: whether only insiders see it.',
    example: { body: 'Fixed: the lens was dirty.', is_private: false },
  },
  comment_is_private: { text: 'Whether comments are private, by their ids. Takes being an insider.' },
  comment_tags: { text: 'Tags for the comment that is added. Takes the group of comment taggers.' },
  flags: FLAGS,
  reset_assigned_to: { text: "Whether the component's default assignee becomes the assignee." },
  reset_qa_contact: { text: "Whether the component's default QA contact becomes the QA contact." },
  work_time: { text: 'Hours to add to those worked. Only for time trackers.', type: z.number() },
});
