import * as z from 'zod';
import type { BuiltInKind } from '../bugs/fields/field.ts';
import {
  BUILT_IN_FIELDS,
  type CatalogueName,
  type CatalogueRow,
  catalogueName,
} from '../bugs/fields/registry.ts';
import { isAlias } from '../bugs/validation.ts';
import { checkTag, MAX_TAGS } from '../comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH, MAX_HOURS } from '../comments/validation.ts';
import {
  componentFields,
  flagTypeFields,
  groupControl as groupControlItem,
  productFields,
  releaseFields,
} from '../products/schema.ts';
import { MAX_NAME_LENGTH } from '../products/validation.ts';
import { characters } from '../text.ts';
import { parseTime } from '../time.ts';
import { loginProblem, MAX_GROUP_NAME_LENGTH, nameProblem, textProblem } from '../users/validation.ts';
import { checkReferences } from './validation.ts';

/**
 * The catalogue file: how users, groups, components, bugs and everything else come in that the interface cannot
 * create. Every id is optional: a given one is kept, an absent one is allocated. Other optional fields that are absent
 * keep the value that the table has; in a new entry they have the default (defaults.ts).
 */

/** Bugzilla's ids have 32 bits. */
const MAX_ID = 2_147_483_647;
const id = z.int().min(1).max(MAX_ID).optional();

/** A string that a rule accepts. */
const ruled = (problemOf: (given: string) => string | undefined) =>
  z.string().superRefine((given, context) => {
    const message = problemOf(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const name = (max = MAX_NAME_LENGTH) => ruled((given) => nameProblem(given, max));
const groupName = name(MAX_GROUP_NAME_LENGTH);
const login = ruled(loginProblem);
const loginOrEmpty = ruled((given) => (given === '' ? undefined : loginProblem(given)));
const text = ruled(textProblem);
const anyText = z.string().refine((given) => given.isWellFormed(), 'must be valid Unicode');

const time = z.string().transform((given, context) => {
  const parsed = parseTime(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a time, such as 2024-01-31T12:00:00Z' });
  return z.NEVER;
});

const tag = ruled((given) => {
  try {
    checkTag(given);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is not a tag';
  }
});

const group = z.strictObject({
  id,
  name: groupName,
  description: text.optional(),
  is_active: z.boolean().optional(),
  user_regexp: text.optional(),
});

const apiKey = z
  .strictObject({
    key: z.string().trim().min(1).optional(),
    /** instead of the key, as an export has it: its SHA-256 in hexadecimal */
    key_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    description: text.optional(),
    revoked: z.boolean().optional(),
  })
  .refine(
    (given) => (given.key === undefined) !== (given.key_sha256 === undefined),
    'must have either key or key_sha256',
  );

const user = z.strictObject({
  id,
  login,
  real_name: text.optional(),
  groups: z.array(groupName).optional(),
  /** the reason; null enables the user */
  disabled: text.min(1, 'must give a reason; null enables the user').nullish(),
  email_enabled: z.boolean().optional(),
  bless_groups: z.array(groupName).optional(),
  api_keys: z.array(apiKey).default([]),
});

const classification = z.strictObject({ id, name: name(), description: anyText.optional() });

const sortKey = z.int().optional();
const flag = z.boolean().optional();

const groupControl = z.strictObject({
  ...groupControlItem.shape,
  group: groupName,
  entry: z.boolean().default(false),
  membercontrol: z.enum(['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']).default('NA'),
  canedit: z.boolean().default(false),
});

const component = z.strictObject({
  ...componentFields,
  id,
  name: name(),
  description: anyText.optional(),
  default_assigned_to: loginOrEmpty.optional(),
  default_qa_contact: loginOrEmpty.optional(),
  default_cc: z.array(login).optional(),
  sort_key: sortKey,
  is_active: flag,
});

const release = z.strictObject({ ...releaseFields, id, name: name(), sort_key: sortKey, is_active: flag });

const flagType = z.strictObject({
  ...flagTypeFields,
  id,
  name: name(50),
  description: anyText.optional(),
  target: z.enum(['bug', 'attachment']),
  cc_list: z.array(login).optional(),
  sort_key: sortKey,
  is_active: flag,
  is_requestable: flag,
  is_requesteeble: flag,
  is_multiplicable: flag,
  grant_group: groupName.nullish(),
  request_group: groupName.nullish(),
  /** null: all */
  components: z.array(name()).nullish(),
  excluded_components: z.array(name()).optional(),
});

const product = z.strictObject({
  ...productFields,
  id,
  name: name(),
  description: anyText.optional(),
  classification: name().optional(),
  is_active: flag,
  has_unconfirmed: flag,
  default_milestone: name().optional(),
  group_controls: z.array(groupControl).optional(),
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
  flag_types: z.array(flagType).default([]),
});

/** Hours within the limits of the interface. DynamoDB stores no fractions of any size. */
const hours = (min: number) =>
  z
    .number()
    .min(min)
    .max(MAX_HOURS)
    .transform((given) => Number(given.toFixed(6)) + 0);

const comment = z.strictObject({
  id,
  text: anyText.refine(
    (given) => characters(given) <= MAX_COMMENT_LENGTH,
    `must have at most ${MAX_COMMENT_LENGTH} characters`,
  ),
  creator: login,
  creation_time: time,
  is_private: z.boolean().optional(),
  attachment_id: z.int().nullable().default(null),
  work_time: hours(-MAX_HOURS).default(0),
  tags: z.array(tag).max(MAX_TAGS).default([]),
});

const keyword = z.strictObject({ id, name: name(64), description: text.optional() });

const values = z.array(name(64)).min(1);

/** Legal values in the order of their rank; what is left out stays Bugzilla's. */
const fieldValues = z.strictObject({
  priority: values.optional(),
  severity: values.optional(),
  platform: values.optional(),
  op_sys: values.optional(),
  resolution: values.optional(),
});

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, as 2024-01-31 is');

const change = z.strictObject({
  field_name: z.string(),
  removed: anyText,
  added: anyText,
  attachment_id: z.int().optional(),
});

/** A flag as the interface shows it. */
const bugFlag = z.strictObject({
  id: z.int().min(1).max(MAX_ID),
  type_id: z.int().min(1).max(MAX_ID),
  name: name(50),
  status: z.enum(['+', '-', '?']),
  setter: login,
  requestee: login.nullable().default(null),
  creation_date: time,
  modification_date: time,
});

/** The data of an attachment: that of a file is read when it is needed. */
export interface AttachmentData {
  read(): Promise<Buffer>;
}

/** An attachment as the interface shows it, with booleans as such. */
const attachment = z.strictObject({
  id: z.int().min(1).max(MAX_ID),
  file_name: anyText,
  summary: anyText,
  content_type: anyText,
  creator: login,
  creation_time: time,
  last_change_time: time,
  is_patch: z.boolean().default(false),
  is_private: z.boolean().default(false),
  is_obsolete: z.boolean().default(false),
  data: z
    .base64()
    .transform((text): AttachmentData => ({ read: () => Promise.resolve(Buffer.from(text, 'base64')) })),
  flags: z.array(bugFlag).max(100).default([]),
});

const historyEntry = z.strictObject({ when: time, who: login, changes: z.array(change).min(1) });

const aliases = z.array(
  name(40).refine(
    isAlias,
    'must not be a number or part of a path, and must not have white space, commas or slashes',
  ),
);

/** How a field of a bug is validated, by its kind. */
const FIELD_RULES = {
  id: z.int().min(1).max(MAX_ID),
  summary: anyText,
  text: anyText,
  url: anyText,
  product: name(),
  component: name(),
  version: name(),
  milestone: name(),
  classification: name(),
  choice: name(),
  status: name(),
  resolution: anyText,
  flag: z.boolean(),
  decimal: hours(0),
  date: date.nullable(),
  time,
  person: loginOrEmpty,
  persons: z.array(login),
  aliases,
  keywords: z.array(name()),
  groups: z.array(groupName),
  urls: z.array(anyText),
  bug: z.int().nullable(),
  bugs: z.array(z.int()),
} as const satisfies Record<BuiltInKind, z.ZodType>;

type FieldRule<R extends CatalogueRow> = R['catalogue'] extends 'required'
  ? (typeof FIELD_RULES)[R['kind']]
  : z.ZodOptional<(typeof FIELD_RULES)[R['kind']]>;

/** The fields of a bug in a catalogue; absent: the table's value, or the default. */
function fieldRules(): { [R in CatalogueRow as CatalogueName<R>]: FieldRule<R> };
function fieldRules(): object {
  return Object.fromEntries(
    BUILT_IN_FIELDS.flatMap((field) => {
      const rule = FIELD_RULES[field.kind];
      if (field.catalogue === undefined) return [];
      return [[catalogueName(field), field.catalogue === 'required' ? rule : rule.optional()]];
    }),
  );
}

const CUSTOM_NAME = /^cf_[a-z0-9_]+$/;

/** The creation time is that of the first comment; the last change is not before the last comment. */
const bugFieldRules = {
  ...fieldRules(),
  reporter: login,
  flags: z.array(bugFlag).max(100).optional(),
  attachments: z.array(attachment).max(1_000).optional(),
  comments: z.array(comment).min(1),
  /** oldest first */
  history: z.array(historyEntry).default([]),
};

/** The values of custom fields, which a catalogue has beside the other fields. */
const customValues = z.record(
  z.string().regex(CUSTOM_NAME),
  z.union([anyText, z.number(), z.array(anyText), z.null()]),
);

const bugWithCustom = z.strictObject({ ...bugFieldRules, custom: customValues.default({}) });

const bug = z.preprocess((given) => {
  if (typeof given !== 'object' || given === null) return given;
  const [custom, others] = [true, false].map((isCustom) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('cf_') === isCustom)),
  );
  return { ...others, custom };
}, bugWithCustom);

/** A custom field of bugs. */
const bugField = z.strictObject({
  id,
  name: z
    .string()
    .max(64)
    .regex(CUSTOM_NAME, 'must begin with cf_, and have small letters, digits and underscores only'),
  display_name: name(64),
  type: z.literal([1, 2, 3, 4, 5, 6, 9, 10]),
  sort_key: sortKey,
  is_on_bug_entry: flag,
  is_obsolete: flag,
  is_mandatory: flag,
  visibility_field: z.string().nullish(),
  visibility_values: z.array(z.union([z.string(), z.array(z.string()).length(2)])).optional(),
  values: z
    .array(
      z.strictObject({ name: name(64), sort_key: sortKey.default(0), is_active: z.boolean().default(true) }),
    )
    .max(500)
    .optional(),
});

const contents = z.strictObject({
  $schema: z.string().optional(),
  groups: z.array(group).default([]),
  users: z.array(user).default([]),
  classifications: z.array(classification).default([]),
  keywords: z.array(keyword).default([]),
  field_values: fieldValues.default({}),
  bug_fields: z.array(bugField).max(100).default([]),
  products: z.array(product).default([]),
  bugs: z.array(bug).default([]),
  /** how the search spells tags that comments spell in several ways */
  tag_spellings: z.array(tag).default([]),
});

const catalogue = contents.superRefine((all, context) =>
  checkReferences(all, (path, message) => context.addIssue({ code: 'custom', path, message })),
);

/** A valid catalogue. Absent lists of entries are empty; other absent values stay as they are, see defaults.ts. */
export type Catalogue = z.output<typeof contents>;
export type CatalogueProduct = Catalogue['products'][number];
export type CatalogueBug = Catalogue['bugs'][number];
export type CatalogueUser = Catalogue['users'][number];

/** A catalogue whose bugs may be read from a file, as often as they are iterated. */
export type CatalogueSource = Omit<Catalogue, 'bugs'> & {
  bugs: Iterable<CatalogueBug> | AsyncIterable<CatalogueBug>;
};

/** JSON Schema of the catalogue file, for editors. */
export function catalogueJsonSchema(): object {
  return z.toJSONSchema(catalogue, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== bug) return;
      const { properties = {}, ...rest } = z.toJSONSchema(bugWithCustom, {
        io: 'input',
        unrepresentable: 'any',
      });
      const { custom: _, ...fields } = properties;
      Object.assign(jsonSchema, rest, { properties: fields, patternProperties: { '^cf_': {} } });
    },
  });
}

/**
 * Validates a catalogue.
 *
 * @returns the catalogue, or each wrong place
 */
export function validateCatalogue(given: unknown): { catalogue: Catalogue } | { problems: Problem[] } {
  const parsed = catalogue.safeParse(given);
  return parsed.success ? { catalogue: parsed.data } : { problems: parsed.error.issues };
}

/** Validates one bug, whose place in the catalogue is `b`, but for what other bugs have. */
export function validateBug(given: unknown, b: number): { bug: CatalogueBug } | { problems: Problem[] } {
  const parsed = bug.safeParse(given);
  if (parsed.success) return { bug: parsed.data };
  return {
    problems: parsed.error.issues.map(({ path, message }) => ({ path: ['bugs', b, ...path], message })),
  };
}

/** A wrong place of a catalogue. */
export interface Problem {
  path: PropertyKey[];
  message: string;
}
