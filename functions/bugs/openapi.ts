import * as z from 'zod/mini';
import type { ParameterText } from '../../lib/base/parameters.ts';
import { MAX_HOURS } from '../../lib/base/time.ts';
import { MAX_TAG_LENGTH, MIN_TAG_LENGTH } from '../../lib/bugs/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import { MAX_INTEGER, MAX_SHORT_TEXT_LENGTH, MIN_INTEGER } from '../../lib/bugs/fields/kinds.ts';
import {
  bugsById,
  bugUpdate,
  fieldQuery,
  historyQuery,
  MAX_UPDATED_BUGS,
  newBug,
  possibleDuplicatesQuery,
  requestsQuery,
  valuesQuery,
} from '../../lib/bugs/requests.ts';
import { MAX_ALIAS_LENGTH, MAX_SUMMARY_LENGTH } from '../../lib/bugs/validation.ts';
import { errors } from '../../lib/errors.ts';
import {
  createsOne,
  describe,
  type EndpointGroupDescription,
  responds,
  schemaRef,
} from '../../lib/http/openapi/documentation.ts';
import type { endpointGroup } from './endpoints.ts';
import {
  bugs,
  bugsWithFaults,
  changedBugs,
  exampleBug,
  fields,
  flagRequests,
  histories,
} from './openapi-bug.ts';
import { bugErrors, bugPath, flagErrors, searchParameters } from './openapi-parameters.ts';

const foundBugs = schemaRef(
  'FoundBugs',
  'The bugs found; with `count_only` none, and their number.',
  z.object({
    ...bugs.shape,
    bug_count: z.optional(describe('With `count_only` only.', z.int())),
    total_matches: z.optional(
      describe(
        'How many bugs meet the conditions: with `limit`, where it takes no further reads, or with `count_total`.',
        z.int(),
      ),
    ),
  }),
);

const valueErrors = [
  errors.productAccessDenied('Vault'),
  errors.componentMissing(),
  errors.parameterMissing('version'),
  errors.valueUnknown('version', '9.0'),
  errors.valueInactive('version', '0.9'),
  errors.summaryMissing(),
  errors.summaryTooLong(MAX_SUMMARY_LENGTH),
  errors.aliasInvalid('1', MAX_ALIAS_LENGTH),
  errors.aliasTaken('blurry-moon'),
  errors.userUnknown('unknown@bugless.example'),
  errors.hoursInvalid('estimated_time', 'two'),
  errors.hoursTooLarge('estimated_time', MAX_HOURS),
  errors.hoursTooSmall('estimated_time', 0),
  errors.timeNotRecognized('deadline', '2026-02-30'),
  errors.seeAlsoInvalid('https://example.org/'),
  errors.groupNotAllowed('insiders'),
  errors.dateNotRecognized('deadline', 'soon'),
  errors.dependencyLoop(1),
  errors.commentTooLong(MAX_COMMENT_LENGTH),
  ...flagErrors,
  errors.textTooLong('cf_build', MAX_SHORT_TEXT_LENGTH),
  errors.integerInvalid('cf_points', 'many'),
  errors.integerOutOfRange('cf_points', MIN_INTEGER, MAX_INTEGER),
  errors.fieldMandatory('cf_build'),
  errors.bugFieldLoop('cf_regressed_by'),
  errors.privateNotAllowed(),
  ...bugErrors,
];

const fieldName: ParameterText = {
  text: "A field's internal name.",
  type: () => z.string(),
  example: 'priority',
};

const values = schemaRef(
  'FieldValues',
  'Legal values of a field.',
  z.object({ values: z.array(z.string()) }),
);
const valuesOfField = {
  summary: 'Get the values of a field',
  response: responds('The names of the values, in order.', values, { values: ['High', 'Low'] }),
  errors: [errors.fieldUnknown('cc'), errors.parameterMissing('product_id'), errors.productAccessDenied('9')],
};
const priority = { id: 14, name: 'priority', display_name: 'Priority', type: 2 };
const listsFields = {
  parameters: fieldQuery,
  selectsFields: true as const,
  response: responds('The fields.', fields, {
    fields: [{ ...priority, values: [{ name: 'High', sort_key: 100 }] }],
  }),
  errors: [errors.fieldMissing('nosuch')],
};

const byIds = (text: string) => ({
  parameters: bugsById,
  selectsFields: true as const,
  response: responds(text, bugsWithFaults, { bugs: [exampleBug], faults: [] }),
});
const readErrors = [...bugErrors, errors.requestTooLarge('20 MB of bugs')];

const tagErrors = [
  errors.tagTooShort(MIN_TAG_LENGTH),
  errors.tagTooLong(MAX_TAG_LENGTH),
  errors.tagInvalid('a b'),
];

/** What the OpenAPI document says of the bug operations. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Bugs',
  text: 'Read, search, create and change bugs; what changed of them; the fields that they have.',
  operations: {
    'GET /rest/bug': {
      summary: 'Search bugs',
      text: 'The bugs that meet all conditions and that the caller may see. Parameters that Bugzilla does not know are ignored. A search that would compare more than 100,000 bugs, or read more than 10,000 that its index does not cover, is refused.',
      parameters: searchParameters,
      selectsFields: true,
      response: responds('The bugs, or with `count_only` their number.', foundBugs, {
        bugs: [exampleBug],
      }),
      errors: [
        errors.parameterMissing('limit'),
        errors.parameterNotInteger('limit', 'many'),
        errors.timeNotRecognized('creation_ts', '2026-02-30'),
        errors.fieldUnknown('summary'),
        errors.operatorUnknown('resembles'),
        errors.savedSearchUnknown('Blockers'),
        errors.quicksearchEmpty(),
        errors.searchTooBroad('10,000 bugs'),
        errors.searchIndexBehind(),
        errors.fullTextInvalid('+'),
        errors.searchTooLong('100 words in a condition'),
        errors.searchUnsupported('attachments.isobsolete'),
        errors.searchDenied('longdescs.isprivate'),
        errors.pronounUnknown('%manager%'),
        errors.patternInvalid('('),
        errors.patternTooComplex('(a{999}){999}'),
        errors.chartUnbalanced('f1'),
        errors.groupHidden('team'),
        errors.ccUnknown('ann@example.com'),
        errors.chartsMixed(),
        errors.chartsNested(),
        errors.joinerUnknown('and'),
        errors.quicksearchInvalid('"moon', 'a quote is not closed'),
        errors.numberNotNumeric('bug_id', 'abc'),
        errors.loginRequired(),
      ],
    },
    'GET /rest/bug/': {
      summary: 'Get bugs by ids',
      text: 'The bugs in the order of the request, duplicates included.',
      ...byIds('The bugs.'),
      errors: [errors.parameterMissing('ids'), ...readErrors],
    },
    'GET /rest/bug/{id_or_alias}': {
      summary: 'Get a bug',
      text: 'The bug of the path, and those of `ids`.',
      path: bugPath,
      ...byIds('The bug.'),
      errors: readErrors,
    },
    'POST /rest/bug': {
      summary: 'Create a bug',
      text: 'Creates a bug with its description, which is its comment 0. Unknown parameters are an error.',
      parameters: newBug,
      response: { ...createsOne('bug', 9), status: 200 },
      errors: [
        ...tagErrors,
        ...valueErrors,
        errors.productNotEditable('Handbook'),
        errors.changeDenied('see_also'),
        errors.parameterUnknown('nosuch'),
        errors.noComponents('Empty'),
        errors.ccUnknown('unknown@bugless.example'),
        errors.statusNotForNewBugs('RESOLVED'),
        errors.commentRequired('', 'CONFIRMED'),
        errors.resolutionNotAllowed(),
        errors.requestTooLarge('at most 100 items'),
      ],
    },
    'PUT /rest/bug/{id_or_alias}': {
      summary: 'Change bugs',
      text: 'Changes the bug of the path and those of `ids`: all of them, or none. Returns what really changed. Unknown parameters are ignored.',
      path: bugPath,
      parameters: bugUpdate,
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
        errors.commentRequired('CONFIRMED', 'RESOLVED'),
        errors.resolutionMissing(),
        errors.resolutionNotAllowed(),
        errors.duplicateMissing(),
        errors.duplicateLoop(1),
        errors.duplicateOfSeveral(),
        errors.aliasOfSeveral(),
        errors.commentPrivacyUnknown('9999'),
        ...tagErrors,
        errors.hoursInvalid('work_time', 'two'),
        errors.hoursTooLarge('work_time', MAX_HOURS),
        errors.hoursTooSmall('work_time', -MAX_HOURS),
        errors.requestTooLarge(`at most ${MAX_UPDATED_BUGS} bugs`),
        errors.versionOfSeveral(),
        errors.versionMismatch('3.5'),
      ],
      takesIfMatch: true,
    },
    'GET /rest/bug/{id_or_alias}/history': {
      summary: 'Get the history of a bug',
      text: 'What changed of the bug, and of those of `ids`.',
      path: bugPath,
      parameters: historyQuery,
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
      errors: [
        errors.timeNotRecognized('new_since', 'yesterday'),
        errors.parameterNotInteger('limit', 'many'),
        ...bugErrors,
      ],
    },
    'GET /rest/bug/possible_duplicates': {
      summary: 'Find bugs with a similar summary',
      text: 'The bugs whose summaries have words of the given one, those with the most of them first; instead of a duplicate the bug that it duplicates.',
      parameters: possibleDuplicatesQuery,
      selectsFields: true,
      response: responds('The bugs.', bugs, { bugs: [exampleBug] }),
      errors: [
        errors.parameterMissing('summary'),
        errors.parameterNotInteger('limit', 'many'),
        errors.searchTooBroad('10,000 bugs'),
      ],
    },
    'GET /rest/bugless/requests': {
      summary: 'List flag requests',
      text: 'The flags of bugs and attachments that the caller sees: without other parameters those that are requested. It also takes the parameters of the search of bugs, but `status` is that of the flags.',
      parameters: requestsQuery,
      selectsFields: true,
      response: responds('The flags.', flagRequests, {
        requests: [
          {
            ...{ id: 5, type_id: 1, name: 'needinfo', status: '?', setter: 'dev@bugless.example' },
            ...{ creation_date: '2026-03-02T08:30:00Z', modification_date: '2026-03-02T08:30:00Z' },
            ...{ bug_id: 1, summary: exampleBug.summary, is_restricted: false },
            ...{ product: exampleBug.product, component: exampleBug.component },
            setter_detail: exampleBug.assigned_to_detail,
          },
        ],
      }),
      errors: [
        errors.flagStatusInvalid('', '*'),
        errors.parameterInvalid('group', 'it is none of requester, requestee, category, type'),
        errors.searchTooBroad('10,000 bugs'),
      ],
    },
    'GET /rest/field/bug': {
      summary: 'Get the fields of bugs',
      text: 'All fields that are not obsolete with their legal values, or those that are named.',
      ...listsFields,
    },
    'GET /rest/field/bug/{id_or_name}': {
      summary: 'Get a field of bugs',
      text: 'The field of the path with its legal values, and those that are named.',
      path: { id_or_name: { ...fieldName, text: 'The id of a field, or its internal name.' } },
      ...listsFields,
    },
    'GET /rest/field/bug/{name}/values': {
      ...valuesOfField,
      text: 'The legal values of a field, under its internal name or that of the interface.',
      path: { name: fieldName },
      parameters: valuesQuery,
    },
    'GET /rest/field/bug/{name}/{product_id}/values': {
      ...valuesOfField,
      text: 'The legal values of a field in a product.',
      path: {
        name: fieldName,
        product_id: { text: 'The id of a product.', type: () => z.string(), example: '1' },
      },
    },
  },
};
