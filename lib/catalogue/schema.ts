import * as z from 'zod';
import { FIRST_CUSTOM_ID } from '../bugs/fields/custom-field.ts';
import { CUSTOM_KINDS } from '../bugs/fields/kinds.ts';
import { MAX_WATCHED } from '../changes/watches/schema.ts';
import { MAIL_CHANGES, MAIL_ROLES } from '../people/mail-preferences.ts';
import { queryProblem, storedQuery } from '../people/saved-searches/validation.ts';
import { groupsProblem, MAX_GROUPS_A_USER } from '../people/validation.ts';
import { isSearchWord } from '../search/conditions/parameters.ts';
import { attachment, bug, bugWithCustom, CUSTOM_NAME } from './schema-bugs.ts';
import { product } from './schema-products.ts';
import {
  anyText,
  boolean,
  givenId,
  groupName,
  id,
  login,
  name,
  sortKey,
  tag,
  text,
  time,
} from './schema-rules.ts';

/**
 * The schema of the catalogue file, which provisions users, groups, products, bugs and everything else. Every id is
 * optional: a given one is kept, an absent one is allocated. Other absent fields keep the value that the table has; in
 * a new entry they have the default (defaults.ts).
 */

const groupNames = z.array(groupName).max(MAX_GROUPS_A_USER).optional();

const group = z.strictObject({
  id,
  name: groupName,
  description: text.optional(),
  is_active: z.boolean().optional(),
  user_regexp: text.optional(),
  /** the groups to which its members belong, too */
  member_of: groupNames,
  /** those that its members may grant */
  bless_groups: groupNames,
  /** those whose members its members may see; without effect */
  visible_groups: groupNames,
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
    /** absent: not known */
    created_at: time.optional(),
  })
  .refine(
    (given) => (given.key === undefined) !== (given.key_sha256 === undefined),
    'must have either key or key_sha256',
  );

/** The groups of a user. */
const userGroups = z.array(groupName).superRefine((groups, context) => {
  const message = groupsProblem(groups);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** A saved search of a user. */
const savedSearch = z.strictObject({
  id,
  name: name(),
  query: z
    .string()
    .transform(storedQuery)
    .superRefine((query, context) => {
      const message = queryProblem(query);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  /** that sees it; null, or absent in a new one: its owner alone */
  group: groupName.nullish(),
});

/** A component that a user watches. */
const watchedComponent = z.strictObject({
  product: z.string(),
  /** null or absent: all of the product */
  component: z.string().nullish(),
});

const user = z.strictObject({
  id,
  login,
  real_name: text.optional(),
  groups: userGroups.optional(),
  /** the reason; null enables the user */
  disabled: text.min(1, 'must give a reason; null enables the user').nullish(),
  email_enabled: z.boolean().optional(),
  /** of what no mails are wanted */
  mail_off: z
    .strictObject({
      roles: z.array(z.enum(MAIL_ROLES)).default([]),
      changes: z.array(z.enum(MAIL_CHANGES)).default([]),
    })
    .optional(),
  bless_groups: userGroups.optional(),
  api_keys: z.array(apiKey).default([]),
  saved_searches: z.array(savedSearch).default([]),
  /** all users whom the user watches */
  watched_users: z.array(login).max(MAX_WATCHED).optional(),
  /** all products and components that the user watches */
  watched_components: z.array(watchedComponent).max(MAX_WATCHED).optional(),
  /** when the user last visited bugs */
  last_visits: z.array(z.strictObject({ bug: givenId, time })).default([]),
});

const classification = z.strictObject({ id, name: name(), description: anyText.optional() });

const keyword = z.strictObject({ id, name: name(64), description: text.optional() });

const values = z.array(name(64)).min(1);

/** A name of a status or resolution, which searches find. */
const searchedName = name(64).refine(
  (given) => !isSearchWord(given),
  'searches take this name for something else',
);

/** A status with those that it may change to. The one without a name has those of new bugs. */
const status = z.strictObject({
  name: z.union([searchedName, z.literal('')]),
  is_open: z.boolean().default(true),
  is_active: z.boolean().default(true),
  can_change_to: z
    .array(z.strictObject({ name: name(64), comment_required: z.boolean().default(false) }))
    .max(100),
});

/** Legal values in the order of their rank; what is left out stays Bugzilla's. */
const fieldValues = z.strictObject({
  priority: values.optional(),
  severity: values.optional(),
  platform: values.optional(),
  op_sys: values.optional(),
  resolution: z.array(searchedName).min(1).optional(),
  bug_status: z.array(status).min(3).max(100).optional(),
});

/** A custom field of bugs. */
const bugField = z.strictObject({
  id: givenId.min(FIRST_CUSTOM_ID).optional(),
  name: z
    .string()
    .max(64)
    .regex(CUSTOM_NAME, 'must begin with cf_, and have small letters, digits and underscores only'),
  display_name: name(64),
  type: z.literal([...CUSTOM_KINDS.keys()]),
  sort_key: sortKey,
  is_on_bug_entry: boolean,
  is_obsolete: boolean,
  is_mandatory: boolean,
  visibility_field: z.string().nullish(),
  visibility_values: z.array(z.union([z.string(), z.array(z.string()).length(2)])).optional(),
  values: z
    .array(
      z.strictObject({ name: name(64), sort_key: sortKey.default(0), is_active: z.boolean().default(true) }),
    )
    .max(500)
    .optional(),
});

/** A catalogue, whose entries may contradict each other: validation.ts. */
export const contents = z.strictObject({
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

/** A valid catalogue. Absent lists of entries are empty; other absent values stay as they are, see defaults.ts. */
export type Catalogue = z.output<typeof contents>;
export type CatalogueProduct = Catalogue['products'][number];
export type CatalogueBug = Catalogue['bugs'][number];
export type CatalogueUser = Catalogue['users'][number];

/** A catalogue whose bugs may be read from a file, as often as they are iterated. */
export type CatalogueSource = Omit<Catalogue, 'bugs'> & {
  bugs: Iterable<CatalogueBug> | AsyncIterable<CatalogueBug>;
  /** the path of a bug by its index, where the bugs are lines of a file */
  pathOf?: (index: number) => PropertyKey[];
};

/** A line of a file that has a bug. */
export const bugLine = z.strictObject({ bug });

/** A line that has an attachment of the bug before it. */
export const attachmentLine = z.strictObject({
  attachment: attachment.extend({ bug_id: givenId.optional() }),
});

/** JSON Schema of a catalogue in JSON, and of each line of a catalogue file, for editors. */
export function catalogueJsonSchema(): object {
  const options = { io: 'input', unrepresentable: 'any' } as const;
  const schema = z.toJSONSchema(z.union([contents, bugLine, attachmentLine]), {
    ...options,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== bug) return;
      const { properties = {}, ...rest } = z.toJSONSchema(bugWithCustom, options);
      const { custom: _, ...fields } = properties;
      Object.assign(jsonSchema, rest, { properties: fields, patternProperties: { '^cf_': {} } });
    },
  });
  return { type: 'object', ...schema };
}

/** A validation problem, with its JSON path. */
export interface Problem {
  path: PropertyKey[];
  message: string;
}
