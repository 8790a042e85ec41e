import * as z from 'zod';
import { isTrue } from '../../lib/base/text.ts';
import { parseTime } from '../../lib/base/time.ts';
import { kindOf, type Shape } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import { byKind, OWN_FIELDS, PUBLIC_FIELDS } from '../../lib/people/user-fields.ts';
import { byShownAttribute } from '../../lib/products/component-fields.ts';
import type { flagTypeFields, productFields, releaseFields } from '../../lib/products/schema.ts';

/**
 * The copied fields of Bugzilla's responses. Lenient, because they differ between versions. A field that a response does
 * not have stays absent, so that the table keeps its value.
 */

export const id = z.coerce.number().pipe(z.int());

export const boolean = z
  .union([z.boolean(), z.number(), z.string()])
  .transform((given) => isTrue(String(given)) && Number(given) !== 0);

const givenText = z
  .union([z.string(), z.number()])
  .nullable()
  .transform((given) => String(given ?? '').toWellFormed());
/** '' where it is absent. */
export const text = givenText.default('');

/** A list, or a single value. */
export const givenTexts = z
  .union([z.array(z.union([z.string(), z.number()])), z.string(), z.number()])
  .nullable()
  .transform((given) => [given ?? []].flat().map((one) => String(one).toWellFormed()))
  .transform((all) => all.filter((one) => one !== ''));
const texts = givenTexts.default([]);

const givenOne = givenTexts.transform(([first = '']) => first);
const one = givenOne.default('');

export const time = z.string().transform((given, context) => {
  const parsed = parseTime(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'is not a time' });
  return z.NEVER;
});

export const idOrNone = id.nullish().transform((given) => given || undefined);

/** Readers for the fields of an entity, of which none is forgotten. */
type Readers<F> = Record<string, z.ZodType> & Record<keyof F, z.ZodType>;

const sortKey = z.coerce.number().optional();

/** Bugzilla returns what its administrator typed: commas with blanks, or without. */
const logins = text.transform((given) => given.split(/,\s*/).filter((login) => login !== ''));

const flagType = z.object({
  id,
  name: text,
  description: givenText.optional(),
  cc_list: logins,
  sort_key: sortKey,
  is_active: boolean.optional(),
  is_requestable: boolean.optional(),
  is_requesteeble: boolean.optional(),
  is_multiplicable: boolean.optional(),
  grant_group: idOrNone,
  request_group: idOrNone,
} satisfies Readers<typeof flagTypeFields>);
export type SourceFlagType = z.output<typeof flagType>;

const release = z.object({
  id,
  name: text,
  sort_key: sortKey,
  is_active: boolean.optional(),
} satisfies Readers<typeof releaseFields>);

const component = z.object({
  id,
  name: text,
  ...byShownAttribute(() => givenText.optional()),
  sort_key: sortKey,
  is_active: boolean.optional(),
  flag_types: z
    .object({ bug: z.array(flagType).default([]), attachment: z.array(flagType).default([]) })
    .default({ bug: [], attachment: [] }),
});

const product = z.object({
  id,
  name: text,
  description: givenText.optional(),
  classification: text,
  is_active: boolean.optional(),
  has_unconfirmed: boolean.optional(),
  default_milestone: text,
  /** of another Bugless */
  description_template: givenText.optional(),
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
} satisfies Readers<typeof productFields>);
export type SourceProduct = z.output<typeof product>;

const number = z.coerce.number();
const absentIfNull = <T>(given: T | null): T | undefined => given ?? undefined;

/** How the value of a field is read, built-in or custom, by its shape. */
export const READERS: Record<Shape, z.ZodType> = {
  id,
  summary: givenText,
  text: givenText,
  largeText: givenText,
  shortText: givenText,
  name: givenOne,
  names: givenTexts,
  groups: givenTexts,
  aliases: givenTexts,
  addresses: givenTexts,
  login: givenText,
  logins: givenTexts,
  boolean: boolean.nullable().transform(absentIfNull),
  hours: number.nullable().transform(absentIfNull),
  integer: number,
  date: givenText.transform((given) => (given === '' ? null : given.slice(0, 'YYYY-MM-DD'.length))),
  time,
  bug: number.nullable(),
  bugs: z.array(id),
};

/** The copied fields under the names of Bugzilla's interface. Not every version has all, or shows them to every user. */
const fields = Object.fromEntries(
  BUILT_IN_FIELDS.flatMap((field) =>
    field.rest === undefined || field.catalogue === undefined
      ? []
      : [[field.rest, READERS[kindOf(field).shape].optional()]],
  ),
);

const sourceFlag = z
  .object({
    id,
    type_id: id,
    name: text,
    status: text,
    setter: text,
    requestee: text,
    creation_date: time,
    modification_date: time,
  })
  .transform(({ requestee, ...given }) => ({ ...given, requestee: requestee === '' ? null : requestee }));
const flags = z
  .array(sourceFlag)
  .nullable()
  .transform((given) => given ?? []);

/** A user as bugs name them. */
const user = z.object({ id, name: text, real_name: text });
export type SourceUser = z.output<typeof user>;
const absentIfInvalid = <T>(schema: z.ZodType<T>) => schema.optional().catch(undefined);

/** What the import itself looks at. The values of custom fields stand beside it. */
const bug = z.looseObject({
  ...fields,
  flags: flags.optional(),
  id,
  product: one,
  component: one,
  summary: text,
  creator: text,
  /** required: without groups a bug would be public */
  groups: z.array(z.string()),
  creation_time: time.optional(),
  last_change_time: time,
  /** of those in the time-tracking group, as estimated_time */
  actual_time: number.nullish().transform((given) => given ?? undefined),
  assigned_to_detail: absentIfInvalid(user),
  creator_detail: absentIfInvalid(user),
  qa_contact_detail: absentIfInvalid(user),
  cc_detail: absentIfInvalid(z.array(user)),
});
export type SourceBug = z.output<typeof bug>;

/** `include_fields` for bugs, without custom fields. */
export const BUG_FIELDS = Object.keys(bug.shape);

/** Without the data. */
const attachment = z.object({
  id,
  file_name: text,
  summary: text,
  content_type: text,
  /** of the data in bytes; absent before 4.4 */
  size: z.int().optional().catch(undefined),
  creator: text,
  creation_time: time,
  last_change_time: time,
  is_patch: boolean.default(false),
  /** required: without it an attachment would be public */
  is_private: boolean,
  is_obsolete: boolean.default(false),
  flags: flags.default([]),
});
export type ListedAttachment = z.output<typeof attachment>;
/** An attachment with its data in base64. */
export type SourceAttachment = Omit<ListedAttachment, 'size'> & { data: string };
/** `include_fields` for attachments, without the data. */
export const ATTACHMENT_FIELDS = Object.keys(attachment.shape);

const historyEntry = z.object({
  when: time,
  who: text,
  changes: z.array(z.object({ field_name: text, removed: text, added: text, attachment_id: id.optional() })),
});
export type SourceHistory = z.output<typeof historyEntry>[];

const field = z.object({
  name: text,
  /** the field whose value decides which values show */
  value_field: text,
  values: z
    .array(
      z.object({
        name: text,
        description: text,
        sort_key: z.coerce.number().default(0),
        visibility_values: texts,
        /** of statuses, as the next ones */
        is_open: boolean.optional(),
        is_active: boolean.default(true),
        can_change_to: z.array(z.object({ name: text, comment_required: boolean.default(false) })).optional(),
      }),
    )
    .default([]),
});

const fieldDefinition = z.object({
  name: text,
  display_name: text,
  type: z.coerce.number(),
  is_custom: boolean.default(false),
  is_mandatory: boolean.default(false),
  is_on_bug_entry: boolean.default(false),
  visibility_field: text,
  visibility_values: texts,
});
/** `include_fields` for the definitions of fields: without their values, which may be many. */
export const DEFINITION_FIELDS = Object.keys(fieldDefinition.shape);

const group = z.object({ id, name: text, description: text });
export type SourceGroup = z.output<typeof group>;

export const versionResponse = z.object({ version: z.string() });
export const idsResponse = z.object({ ids: z.array(id) });
export const productsResponse = z.object({ products: z.array(product) });
export const productNamesResponse = z.object({ products: z.array(z.object({ id, name: text })) });
/** A bug of a response that does not match the schema. */
export interface InvalidBug {
  /** undefined when that is invalid, too */
  id: number | undefined;
  why: string;
}

/** Bugs are parsed one by one, so that an invalid one does not affect the others. */
export const bugsResponse = z.object({ bugs: z.array(z.unknown()) }).transform(({ bugs: given }) => {
  const bugs: SourceBug[] = [];
  const invalid: InvalidBug[] = [];
  for (const one of given) {
    const parsed = bug.safeParse(one);
    if (parsed.success) bugs.push(parsed.data);
    else {
      const why = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
      invalid.push({ id: bug.pick({ id: true }).safeParse(one).data?.id, why });
    }
  }
  return { bugs, invalid };
});
/** Of a search that lists all bugs. */
export const productIdsOfBugsResponse = z.object({
  bugs: z.array(z.object({ id, product: one, groups: texts })),
});
/** Of a search that scans groups. A bug without them is restricted when it is read. */
export const groupsOfBugsResponse = z.object({
  bugs: z.array(z.object({ id, groups: texts })),
});
/** Of a request for a bug that may be hidden. */
export const idsOfBugsResponse = z.object({ bugs: z.array(z.object({ id })) });
export const historiesResponse = z.object({
  bugs: z.array(z.object({ id, history: z.array(historyEntry) })),
});
export const attachmentsResponse = z.object({ bugs: z.record(z.string(), z.array(attachment)) });
export const attachmentDataResponse = z.object({
  attachments: z.record(
    z.string(),
    // Data that was deleted is null, of an obsolete text: Bugzilla::Attachment::remove_from_db. So is data whose file is lost.
    z.object({ data: z.string().nullable(), content_type: text, is_obsolete: boolean.default(false) }),
  ),
});
export const definitionsResponse = z.object({ fields: z.array(fieldDefinition) });
export const fieldsResponse = z.object({ fields: z.array(field) });
export const groupsResponse = z.object({ groups: z.array(group) });

/** A user as a list of users has them. Fields that the caller may not see are absent. */
const account = z.object({
  id,
  name: text,
  ...byKind(PUBLIC_FIELDS, { text, switch: boolean }),
  can_login: boolean.optional(),
  /** for those in `editusers`, as the next one */
  ...byKind(OWN_FIELDS, { text: givenText.optional(), switch: boolean.optional() }),
  login_denied_text: text,
  /** all for those in `editusers`, inherited ones and those by regular expressions among them */
  groups: z.array(group).default([]),
  /** the caller's own only */
  saved_searches: z.array(z.object({ name: text, query: text })).optional(),
});
export type SourceAccount = z.output<typeof account>;
/** `include_fields` for lists of users. */
export const ACCOUNT_FIELDS = Object.keys(account.shape);
export const accountsResponse = z.object({ users: z.array(account) });
/** Those that the owner of the API key may see. */
export const parametersResponse = z.object({
  parameters: z.object({ timetrackinggroup: text, insidergroup: text }),
});
export const idsOfUsersResponse = z.object({ users: z.array(z.object({ id })) });
export const validLoginResponse = z.object({ result: boolean });
