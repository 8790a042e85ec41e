import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { answers, creates, type GroupText, parametersOf } from '../../lib/openapi/documentation.ts';
import { describe, named } from '../../lib/openapi/metadata.ts';
import { time } from '../../lib/openapi/time.ts';
import { workTime } from '../comments/schemas.ts';
import type { group } from './group.ts';
import { bugQuery, bugUpdate, newBug } from './schemas.ts';

const bug = named(
  'Bug',
  'A bug. `include_fields` leaves out what it does not name.',
  z.partial(
    z.object({
      id: describe('Identifies it in this installation only.', z.int()),
      alias: describe('Other names of it.', z.array(z.string())),
      product: z.string(),
      component: z.string(),
      version: z.string(),
      summary: z.string(),
      creator: describe('The login of who entered it.', z.string()),
      assigned_to: describe('A login.', z.string()),
      qa_contact: describe('A login; empty when there is none.', z.string()),
      cc: describe('Logins of those who are told of changes.', z.array(z.string())),
      groups: describe('Names of groups; only who is in all of them sees it.', z.array(z.string())),
      creation_time: time('When it was entered.'),
      last_change_time: time('When it last changed.'),
      status: z.string(),
      is_open: z.boolean(),
    }),
  ),
);

const bugs = named(
  'Bugs',
  'Bugs.',
  z.object({ bugs: z.array(bug), faults: describe('Always empty.', z.array(z.object({}))) }),
);

const example: z.output<typeof bug> = {
  id: 1,
  alias: ['blurry-moon'],
  product: 'Telescope',
  component: 'Lens',
  version: '2.0',
  summary: 'The moon is blurry at the edges',
  creator: 'reporter@bugless.example',
  assigned_to: 'dev@bugless.example',
  qa_contact: '',
  cc: [],
  groups: [],
  creation_time: '2026-03-02T09:15:00Z',
  last_change_time: '2026-03-04T12:00:00Z',
  status: 'CONFIRMED',
  is_open: true,
};

const changed = named(
  'ChangedBugs',
  'Bugs that got a comment.',
  z.object({
    bugs: z.array(
      z.object({
        id: z.int(),
        alias: z.array(z.string()),
        last_change_time: time('When it last changed.'),
        changes: describe('Always empty.', z.object({})),
      }),
    ),
  }),
);

const idOrAlias = {
  text: 'The id of a bug, or else one of its aliases.',
  wants: z.string(),
  example: 'blurry-moon',
};

const bugErrors = [
  errors.bugAliasUnknown('no-such-alias'),
  errors.bugUnknown('9999'),
  errors.bugAccessDenied('7'),
];

/** What the OpenAPI document says of the bug operations. */
export const text: GroupText<typeof group.routes> = {
  title: 'Bugs',
  text: 'As much of bugs as clients need around their comments.',
  operations: {
    'GET /rest/bug': {
      summary: 'Get bugs',
      text: 'The bugs that are named, ordered by id. What the caller may not see is left out.',
      parameters: parametersOf(bugQuery, {
        id: { text: 'Ids or aliases, also separated by commas.', example: ['1,2'] },
        ids: { text: 'The same as `id`.', example: ['1', '2'] },
        alias: { text: 'Aliases.', example: ['blurry-moon'] },
        limit: { text: 'At most so many; 0: all.', wants: z.int().check(z.gte(0)), example: 10 },
      }),
      selectsFields: true,
      answer: answers('The bugs.', bugs, { bugs: [example], faults: [] }),
      errors: [errors.parameterMissing('id'), errors.parameterNotInteger('limit', 'many')],
    },
    'GET /rest/bug/{id_or_alias}': {
      summary: 'Get a bug',
      text: 'The bug of the path.',
      path: { id_or_alias: idOrAlias },
      selectsFields: true,
      answer: answers('The bug.', bugs, { bugs: [example], faults: [] }),
      errors: bugErrors,
    },
    'POST /rest/bug': {
      summary: 'Enter a bug',
      text: 'Makes a bug with its description, which is its comment 0.',
      parameters: parametersOf(newBug, {
        product: {
          text: 'The name of a product to enter bugs against.',
          required: true,
          example: 'Telescope',
        },
        component: { text: 'The name of an active component of it.', required: true, example: 'Lens' },
        summary: {
          text: 'One line of at most 255 characters.',
          required: true,
          example: 'The moon is blurry at the edges',
        },
        version: { text: 'The name of an active version of the product.', required: true, example: '2.0' },
        description: { text: 'The comment 0, at most 65,535 characters.', example: 'Since yesterday.' },
        comment_is_private: { text: 'Whether only insiders see the description; takes being one.' },
        alias: { text: 'Other names: no numbers, no white space, no commas, at most 40 characters each.' },
        assigned_to: { text: 'A login; that of the component without it.' },
        qa_contact: { text: 'A login; that of the component without it.' },
        cc: { text: 'Logins of those who are told of changes.' },
      }),
      answer: creates(
        'The bug is there.',
        named(
          'CreatedBug',
          'What was created.',
          z.object({ id: describe('The id of the new bug.', z.int()) }),
        ),
        { id: 9 },
      ),
      errors: [
        errors.productAccessDenied('Vault'),
        errors.componentUnknown('Fuel'),
        errors.parameterMissing('version'),
        errors.versionUnknown('Telescope', '9.0'),
        errors.summaryMissing(),
        errors.summaryTooLong(255),
        errors.aliasInvalid('1'),
        errors.aliasTaken('blurry-moon'),
        errors.personUnknown('nobody@bugless.example'),
        errors.commentTooLong(65_535),
        errors.privateNotAllowed(),
        errors.requestTooLarge('at most 90 aliases and people'),
      ],
    },
    'PUT /rest/bug/{id_or_alias}': {
      summary: 'Comment on bugs',
      text: 'Adds a comment to the bug of the path and to those of `ids`, as several clients do it. Every other change is refused.',
      path: { id_or_alias: idOrAlias },
      parameters: [
        ...parametersOf(bugUpdate, {
          ids: { text: 'Ids or aliases of further bugs, at most 50.' },
          comment: {
            text: 'The text, as `body` or `comment` of an object or by itself. `is_private`: whether only insiders see it.',
            required: true,
            example: { body: 'Fixed: the lens was dirty.', is_private: false },
          },
        }),
        ...parametersOf(workTime, {
          work_time: {
            text: 'Hours to add to those worked on each bug. Without effect for those who do not track time.',
            wants: z.number(),
          },
        }),
      ],
      answer: answers('The comment is there.', changed, {
        bugs: [{ id: 1, alias: ['blurry-moon'], last_change_time: '2026-03-02T08:30:00Z', changes: {} }],
      }),
      errors: [
        errors.parameterUnknown('status'),
        errors.commentMissing(),
        ...bugErrors,
        errors.productNotEditable('Handbook'),
        errors.commentTooLong(65_535),
        errors.privateNotAllowed(),
        errors.workTimeNotNumber('two'),
        errors.workTimeTooLarge(),
        errors.workTimeTooSmall(),
        errors.requestTooLarge('at most 50 bugs'),
      ],
    },
  },
};
