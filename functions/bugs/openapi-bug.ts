import * as z from 'zod/mini';
import { type BuiltInKind, KINDS, type ShapeOf } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import { fieldChange } from '../../lib/bugs/schema.ts';
import { change, describe, schemaRef, time } from '../../lib/http/openapi/documentation.ts';

const user = schemaRef(
  'BugUser',
  'A user as a bug shows them.',
  z.partial(
    z.object({
      id: z.int(),
      name: describe('The login.', z.string()),
      real_name: z.string(),
      email: describe('The login again.', z.string()),
    }),
  ),
);

const names = () => z.array(z.string());

/** The documented type of a value of a built-in field, by its shape. */
const TYPES: Record<ShapeOf<BuiltInKind>, () => z.ZodMiniType> = {
  id: z.int,
  summary: z.string,
  text: z.string,
  name: z.string,
  names,
  groups: names,
  aliases: names,
  addresses: names,
  login: z.string,
  logins: names,
  boolean: z.boolean,
  hours: z.number,
  date: () => z.nullable(z.string()),
  time: () => z.iso.datetime({ precision: 0 }),
  bug: () => z.nullable(z.int()),
  bugs: () => z.array(z.int()),
};

const fieldTypes = Object.fromEntries(
  BUILT_IN_FIELDS.flatMap((field) => {
    const { rest, description, visibleTo } = field;
    const { shape } = KINDS[field.kind];
    if (rest === undefined) return [];
    const right = visibleTo === 'timetrackers' ? ' Only for time trackers.' : '';
    const shown: [string, z.ZodMiniType][] = [[rest, describe(`${description}${right}`, TYPES[shape]())]];
    if (shape === 'login') shown.push([`${rest}_detail`, user]);
    if (shape === 'logins') shown.push([`${rest}_detail`, z.array(user)]);
    return shown;
  }),
);

/** A flag, as the interface shows it. */
export const flag = schemaRef(
  'Flag',
  'A flag of a bug or an attachment.',
  z.object({
    id: z.int(),
    type_id: z.int(),
    name: z.string(),
    status: describe('`?`, `+` or `-`.', z.string()),
    setter: describe('The login of who set it.', z.string()),
    requestee: z.optional(describe('The login of who is asked.', z.string())),
    creation_date: time('When it was set.'),
    modification_date: time('When it was last changed.'),
  }),
);

export const flagRequests = schemaRef(
  'FlagRequests',
  'Flags, with the bug and perhaps the attachment that has them.',
  z.object({
    requests: z.array(
      z.partial(
        z.object({
          ...flag.shape,
          ...{ bug_id: z.int(), summary: z.string(), product: z.string(), component: z.string() },
          is_restricted: describe('Whether the bug is in groups.', z.boolean()),
          ...{ attachment_id: z.int(), attachment_summary: z.string() },
          ...{ setter_detail: user, requestee_detail: user },
        }),
      ),
    ),
  }),
);

/** A bug, as the interface shows it. */
const bug = schemaRef(
  'Bug',
  'A bug. `include_fields` leaves out what it does not name. Custom fields are `cf_…`.',
  z.partial(
    z.looseObject({
      ...fieldTypes,
      is_open: z.boolean(),
      flags: z.array(flag),
      tags: describe('Always empty; only on demand.', names()),
      comment_count: describe('With private comments; only by its name.', z.int()),
      duplicates: describe(
        'The bugs that are duplicates of it, as far as the caller sees them; only by its name.',
        z.array(z.int()),
      ),
      comments: describe(
        'As `/rest/bug/{id}/comment` has them; only by their name.',
        z.array(z.looseObject({})),
      ),
      history: describe('As `/rest/bug/{id}/history` has it; only by its name.', z.array(z.looseObject({}))),
      attachments: describe(
        'As `/rest/bug/{id}/attachment` has them, without data; only by their name.',
        z.array(z.looseObject({})),
      ),
      bugless_version: describe(
        'Another after each change and comment, for `If-Match`; only by its name.',
        z.string(),
      ),
    }),
  ),
);

const dev = { id: 2, name: 'dev@bugless.example', real_name: 'Dana Developer', email: 'dev@bugless.example' };

/** The bug of the examples. */
export const exampleBug = {
  id: 1,
  alias: ['blurry-moon'],
  summary: 'The moon is blurry at the edges',
  product: 'Telescope',
  component: 'Lens',
  classification: 'Unclassified',
  version: '2.0',
  target_milestone: '—',
  status: 'CONFIRMED',
  resolution: '',
  dupe_of: null,
  is_open: true,
  is_confirmed: true,
  priority: '---',
  severity: 'normal',
  platform: 'All',
  op_sys: 'All',
  creator: 'dev@bugless.example',
  creator_detail: dev,
  assigned_to: 'dev@bugless.example',
  assigned_to_detail: dev,
  qa_contact: '',
  cc: [],
  cc_detail: [],
  groups: [],
  keywords: [],
  whiteboard: '',
  url: '',
  see_also: [],
  blocks: [],
  depends_on: [],
  deadline: null,
  flags: [],
  is_creator_accessible: true,
  is_cc_accessible: true,
  creation_time: '2026-03-02T09:15:00Z',
  last_change_time: '2026-03-04T12:00:00Z',
};

export const bugs = schemaRef('Bugs', 'Bugs that were found.', z.object({ bugs: z.array(bug) }));

export const bugsWithFaults = schemaRef(
  'BugsById',
  'Bugs that were requested by id.',
  z.object({
    bugs: z.array(bug),
    faults: describe(
      'With `permissive`, those that cannot be read.',
      z.array(z.object({ id: z.string(), faultCode: z.int(), faultString: z.string() })),
    ),
  }),
);

export const changedBugs = schemaRef(
  'ChangedBugs',
  'What an update really changed.',
  z.object({
    bugs: z.array(
      z.object({
        id: z.int(),
        alias: z.array(z.string()),
        last_change_time: time('When the bug last changed.'),
        changes: describe('By the name of the field.', z.record(z.string(), change)),
      }),
    ),
  }),
);

export const histories = schemaRef(
  'Histories',
  'What changed of bugs.',
  z.object({
    bugs: z.array(
      z.object({
        id: z.int(),
        alias: z.array(z.string()),
        history: describe(
          'The oldest first.',
          z.array(
            z.object({
              when: time('When it changed.'),
              who: describe('The login of who changed it.', z.string()),
              changes: z.array(fieldChange),
            }),
          ),
        ),
      }),
    ),
  }),
);

const fieldValue = z.partial(
  z.object({
    name: z.nullable(z.string()),
    sort_key: z.int(),
    sortkey: describe('The same as `sort_key`.', z.int()),
    visibility_values: describe('The products that have it; empty: all.', z.array(z.string())),
    is_active: z.boolean(),
    is_open: describe('Of a status.', z.boolean()),
    can_change_to: describe(
      'Of a status; that without a name stands for a bug that does not exist yet.',
      z.array(z.object({ name: z.string(), comment_required: z.boolean() })),
    ),
    description: describe('Of a keyword.', z.string()),
  }),
);

export const fields = schemaRef(
  'BugFields',
  'Fields of bugs.',
  z.object({
    fields: z.array(
      z.partial(
        z.object({
          id: z.int(),
          name: describe("Bugzilla's internal name.", z.string()),
          display_name: z.string(),
          type: describe("Bugzilla's number for the type.", z.int()),
          is_custom: z.boolean(),
          is_mandatory: z.boolean(),
          is_on_bug_entry: z.boolean(),
          visibility_field: z.nullable(z.string()),
          visibility_values: z.array(z.string()),
          value_field: describe('The field that decides which values there are.', z.nullable(z.string())),
          values: z.array(fieldValue),
        }),
      ),
    ),
  }),
);
