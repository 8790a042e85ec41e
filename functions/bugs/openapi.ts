import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import {
  type DocumentedParameter,
  type GroupText,
  type ParameterText,
  parametersOf,
  responds,
} from '../../lib/openapi/documentation.ts';
import { describe, schemaRef } from '../../lib/openapi/metadata.ts';
import type { group } from './group.ts';
import { bugs, bugsWithFaults, changedBugs, exampleBug, fields, histories } from './openapi-bug.ts';
import { bugsById, bugUpdate, fieldQuery, historyQuery, newBug } from './schemas.ts';

const idOrAlias: ParameterText = {
  text: 'The id of a bug, or else one of its aliases.',
  type: z.string(),
  example: 'blurry-moon',
};

const bugErrors = [
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

const searchParameters: DocumentedParameter[] = [
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

const creationParameters = parametersOf(newBug, {
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

const updateParameters = parametersOf(bugUpdate, {
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

const valueErrors = [
  errors.productAccessDenied('Vault'),
  errors.componentMissing(),
  errors.parameterMissing('version'),
  errors.valueUnknown('version', '9.0'),
  errors.valueInactive('version', '0.9'),
  errors.summaryMissing(),
  errors.summaryTooLong(255),
  errors.aliasInvalid('1'),
  errors.aliasTaken('blurry-moon'),
  errors.userUnknown('unknown@bugless.example'),
  errors.hoursInvalid('estimated_time', 'two'),
  errors.hoursTooLarge('estimated_time'),
  errors.hoursTooSmall('estimated_time'),
  errors.timeNotRecognized('deadline', '2026-02-30'),
  errors.seeAlsoInvalid('https://example.org/'),
  errors.groupNotAllowed('insiders'),
  errors.dependencyLoop(1),
  errors.commentTooLong(65_535),
  errors.privateNotAllowed(),
  ...bugErrors,
];

const fieldName: ParameterText = {
  text: "A field's internal name.",
  type: z.string(),
  example: 'priority',
};

const values = schemaRef('FieldValues', 'Legal values of a field.', z.object({ values: texts }));
const ids = parametersOf(bugsById, {
  ids: { text: 'Ids or aliases of further bugs.', example: ['2'] },
  permissive: { text: 'Whether bugs that cannot be read are listed in `faults`, and are no error.' },
});
const valuesOfField = {
  summary: 'Get the values of a field',
  response: responds('The names of the values, in order.', values, { values: ['High', 'Low'] }),
  errors: [errors.fieldUnknown('cc'), errors.parameterMissing('product_id'), errors.productAccessDenied('9')],
};
const fieldsAnswer = responds('The fields.', fields, {
  fields: [
    {
      id: 14,
      name: 'priority',
      display_name: 'Priority',
      type: 2,
      values: [{ name: 'High', sort_key: 100 }],
    },
  ],
});
const fieldParameters = parametersOf(fieldQuery, {
  names: { text: 'Internal names of further fields.', example: ['priority'] },
  ids: { text: 'Ids of further fields.' },
});

/** What the OpenAPI document says of the bug operations. */
export const text: GroupText<typeof group.routes> = {
  title: 'Bugs',
  text: 'Read, search, create and change bugs; what changed of them; the fields that they have.',
  operations: {
    'GET /rest/bug': {
      summary: 'Search bugs',
      text: 'The bugs that meet all conditions and that the caller may see. Parameters that Bugzilla does not know are ignored. A search that would look at more than 10,000 bugs is refused.',
      parameters: searchParameters,
      selectsFields: true,
      response: responds('The bugs.', bugs, { bugs: [exampleBug] }),
      errors: [
        errors.parameterMissing('limit'),
        errors.parameterNotInteger('limit', 'many'),
        errors.timeNotRecognized('creation_ts', '2026-02-30'),
        errors.fieldUnknown('summary'),
        errors.operatorUnknown('resembles'),
        errors.quicksearchEmpty(),
        errors.searchTooBroad('10,000 bugs'),
        errors.searchUnsupported('attachments.isobsolete'),
        errors.pronounUnknown('%manager%'),
        errors.patternInvalid('('),
        errors.patternTooSlow('(a*)*b'),
        errors.chartUnbalanced('f1'),
        errors.quicksearchInvalid('(moon', 'a parenthesis is not closed'),
        errors.numberNotNumeric('bug_id', 'abc'),
        errors.loginRequired(),
      ],
    },
    'GET /rest/bug/': {
      summary: 'Get bugs by ids',
      text: 'The bugs in the order asked, repeated ones repeatedly.',
      parameters: ids,
      selectsFields: true,
      response: responds('The bugs.', bugsWithFaults, { bugs: [exampleBug], faults: [] }),
      errors: [errors.parameterMissing('ids'), ...bugErrors],
    },
    'GET /rest/bug/{id_or_alias}': {
      summary: 'Get a bug',
      text: 'The bug of the path, and those of `ids`.',
      path: { id_or_alias: idOrAlias },
      parameters: ids,
      selectsFields: true,
      response: responds('The bug.', bugsWithFaults, { bugs: [exampleBug], faults: [] }),
      errors: bugErrors,
    },
    'POST /rest/bug': {
      summary: 'Create a bug',
      text: 'Creates a bug with its description, which is its comment 0. Unknown parameters are an error.',
      parameters: creationParameters,
      response: responds(
        'The bug is created.',
        schemaRef(
          'CreatedBug',
          'What was created.',
          z.object({ id: describe('The id of the new bug.', z.int()) }),
        ),
        { id: 9 },
      ),
      errors: [
        ...valueErrors,
        errors.parameterUnknown('nosuch'),
        errors.noComponents('Empty'),
        errors.ccUnknown('unknown@bugless.example'),
        errors.statusNotForNewBugs('RESOLVED'),
        errors.resolutionNotAllowed(),
        errors.requestTooLarge('at most 100 items'),
      ],
    },
    'PUT /rest/bug/{id_or_alias}': {
      summary: 'Change bugs',
      text: 'Changes the bug of the path and those of `ids`: all of them, or none. Answers what really changed. Unknown parameters are ignored.',
      path: { id_or_alias: idOrAlias },
      parameters: updateParameters,
      response: responds('The bugs are changed.', changedBugs, {
        bugs: [
          {
            id: 1,
            alias: ['blurry-moon'],
            last_change_time: '2026-03-02T08:30:00Z',
            changes: { status: { removed: 'CONFIRMED', added: 'IN_PROGRESS' } },
          },
        ],
      }),
      errors: [
        ...valueErrors,
        errors.productNotEditable('Handbook'),
        errors.changeDenied('priority'),
        errors.ccRemovalDenied(),
        errors.statusChangeDenied('RESOLVED', 'IN_PROGRESS'),
        errors.resolutionMissing(),
        errors.resolutionNotAllowed(),
        errors.duplicateMissing(),
        errors.duplicateLoop(1),
        errors.duplicateOfSeveral(),
        errors.aliasOfSeveral(),
        errors.commentPrivacyUnknown('9999'),
        errors.tagTooShort(3),
        errors.tagTooLong(24),
        errors.tagInvalid('a b'),
        errors.workTimeNotNumber('two'),
        errors.workTimeTooLarge(),
        errors.workTimeTooSmall(),
        errors.requestTooLarge('at most 50 bugs'),
      ],
    },
    'GET /rest/bug/{id_or_alias}/history': {
      summary: 'Get the history of a bug',
      text: 'What changed of the bug, and of those of `ids`.',
      path: { id_or_alias: idOrAlias },
      parameters: parametersOf(historyQuery, {
        ids: { text: 'Ids or aliases of further bugs.' },
        new_since: { text: 'Only changes after this time.', example: '2026-03-01' },
      }),
      response: responds('The histories.', histories, {
        bugs: [
          {
            id: 1,
            alias: ['blurry-moon'],
            history: [
              {
                when: '2026-03-02T08:30:00Z',
                who: 'dev@bugless.example',
                changes: [{ field_name: 'status', removed: 'UNCONFIRMED', added: 'CONFIRMED' }],
              },
            ],
          },
        ],
      }),
      errors: [errors.timeNotRecognized('new_since', 'yesterday'), ...bugErrors],
    },
    'GET /rest/bug/{id_or_alias}/attachment': {
      summary: 'Get the attachments of a bug',
      text: 'Bugless keeps no attachments, so there are none.',
      path: { id_or_alias: idOrAlias },
      response: responds(
        'No attachments.',
        z.object({ bugs: z.record(z.string(), z.array(z.object({}))), attachments: z.object({}) }),
        { bugs: { 1: [] }, attachments: {} },
      ),
      errors: bugErrors,
    },
    'POST /rest/bug/{id_or_alias}/attachment': {
      summary: 'Attach a file',
      text: 'Bugless keeps no attachments: this is always an error.',
      path: { id_or_alias: idOrAlias },
      response: responds('Never.', z.object({}), {}),
      errors: [errors.attachmentsUnsupported()],
    },
    'GET /rest/bug/attachment/{attachment_id}': {
      summary: 'Get an attachment',
      text: 'Bugless keeps no attachments: this is always an error.',
      path: { attachment_id: { text: 'An id.', type: z.string(), example: '1' } },
      response: responds('Never.', z.object({}), {}),
      errors: [errors.parameterNotInteger('attachment_ids', 'abc'), errors.attachmentUnknown('1')],
    },
    'GET /rest/field/bug': {
      summary: 'Get the fields of bugs',
      text: 'All fields with their legal values, or those that are named.',
      parameters: fieldParameters,
      selectsFields: true,
      response: fieldsAnswer,
      errors: [errors.fieldMissing('nosuch')],
    },
    'GET /rest/field/bug/{id_or_name}': {
      summary: 'Get a field of bugs',
      text: 'The field of the path with its legal values, and those that are named.',
      path: { id_or_name: { ...fieldName, text: 'The id of a field, or its internal name.' } },
      parameters: fieldParameters,
      selectsFields: true,
      response: fieldsAnswer,
      errors: [errors.fieldMissing('nosuch')],
    },
    'GET /rest/field/bug/{name}/values': {
      ...valuesOfField,
      text: 'The legal values of a field that all products share.',
      path: { name: fieldName },
    },
    'GET /rest/field/bug/{name}/{product_id}/values': {
      ...valuesOfField,
      text: 'The legal values of a field in a product.',
      path: {
        name: fieldName,
        product_id: { text: 'The id of a product.', type: z.string(), example: '1' },
      },
    },
  },
};
