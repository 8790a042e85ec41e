import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { checkTag } from '../comment-tags/validation.ts';
import { characters } from '../text.ts';
import { parseTime } from '../time.ts';
import { checkWhole } from './validation.ts';

/**
 * The catalogue file: how users, groups, components, bugs and all else come in that the interface cannot
 * make. DESIGN.md 4. Every id is optional: given, it is kept; absent, the next free one is taken.
 */

/** Bugzilla's ids are 32 bits. */
const id = z.int().min(1).max(2_147_483_647).optional();

const name = (longest: number) =>
  z
    .string()
    .refine(
      (given) => given.trim() === given && given !== '',
      'must not be blank, nor begin or end with white space',
    )
    .refine((given) => characters(given) <= longest, `must have at most ${longest} characters`)
    .refine((given) => given.isWellFormed() && !/\p{Cc}/u.test(given), 'must not have control characters');

const text = z.string().refine((given) => given.isWellFormed(), 'must be valid Unicode');
const login = name(255);

const time = z.string().transform((given, context) => {
  const parsed = parseTime(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a time, as 2024-01-31T12:00:00Z is' });
  return z.NEVER;
});

const tag = z.string().superRefine((given, context) => {
  try {
    checkTag(given);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not a tag' });
  }
});

const group = z.strictObject({ id, name: name(255), description: text.default('') });

const apiKey = z
  .strictObject({
    key: z.string().trim().min(1).optional(),
    /** instead of the key, as an export has it: its SHA-256 in hexadecimal */
    key_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    description: text.default(''),
    revoked: z.boolean().default(false),
  })
  .refine(
    (given) => (given.key === undefined) !== (given.key_sha256 === undefined),
    'takes key or key_sha256',
  );

const user = z.strictObject({
  id,
  login,
  real_name: text.default(''),
  groups: z.array(name(255)).default([]),
  disabled: text.nullish().transform((given) => given || undefined),
  api_keys: z.array(apiKey).default([]),
});

const classification = z.strictObject({ name: name(64), description: text.default('') });

const groupControl = z.strictObject({
  group: name(255),
  entry: z.boolean().default(false),
  membercontrol: z.enum(['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']).default('NA'),
  canedit: z.boolean().default(false),
});

const component = z.strictObject({
  id,
  name: name(64),
  description: text.default(''),
  default_assigned_to: z.string().default(''),
  default_qa_contact: z.string().default(''),
  sort_key: z.int().default(0),
  is_active: z.boolean().default(true),
});

const release = z.strictObject({
  id,
  name: name(64),
  sort_key: z.int().default(0),
  is_active: z.boolean().default(true),
});

const flagType = z.strictObject({
  id,
  name: name(50),
  description: text.default(''),
  target: z.enum(['bug', 'attachment']),
  cc_list: z.array(login).default([]),
  sort_key: z.int().default(0),
  is_active: z.boolean().default(true),
  is_requestable: z.boolean().default(true),
  is_requesteeble: z.boolean().default(true),
  is_multiplicable: z.boolean().default(true),
  grant_group: name(255).nullable().default(null),
  request_group: name(255).nullable().default(null),
  components: z.array(name(64)).optional(),
});

const product = z.strictObject({
  id,
  name: name(64),
  description: text.default(''),
  classification: name(64).default('Unclassified'),
  is_active: z.boolean().default(true),
  has_unconfirmed: z.boolean().default(true),
  default_milestone: name(64).optional(),
  group_controls: z.array(groupControl).default([]),
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
  flag_types: z.array(flagType).default([]),
});

const MAX_COMMENT_LENGTH = 65_535;

const comment = z.strictObject({
  id,
  text: text.refine(
    (given) => characters(given) <= MAX_COMMENT_LENGTH,
    `must have at most ${MAX_COMMENT_LENGTH} characters`,
  ),
  creator: login,
  creation_time: time,
  is_private: z.boolean().default(false),
  attachment_id: z.int().nullable().default(null),
  work_time: z.number().default(0),
  tags: z.array(tag).default([]),
});

const bug = z.strictObject({
  id,
  aliases: z
    .array(name(40).refine((given) => !/^\d+$/.test(given), 'must not be a number: that would be a bug id'))
    .default([]),
  product: name(64),
  component: name(64),
  version: name(64).optional(),
  summary: text,
  status: name(64).default('CONFIRMED'),
  reporter: login,
  assigned_to: z.string().default(''),
  qa_contact: z.string().default(''),
  cc: z.array(login).default([]),
  groups: z.array(name(255)).default([]),
  comments: z.array(comment).min(1),
});

const contents = z.strictObject({
  $schema: z.string().optional(),
  groups: z.array(group).default([]),
  users: z.array(user).default([]),
  classifications: z.array(classification).default([]),
  products: z.array(product).default([]),
  bugs: z.array(bug).default([]),
  /** how the search spells tags that comments spell in several ways */
  tag_spellings: z.array(tag).default([]),
});

const catalogue = contents.superRefine((all, context) =>
  checkWhole(all, (path, message) => context.addIssue({ code: 'custom', path, message })),
);

/** A catalogue, complete: what was left out has its default. */
export type Catalogue = z.output<typeof contents>;
export type CatalogueProduct = Catalogue['products'][number];
export type CatalogueBug = Catalogue['bugs'][number];
export type CatalogueUser = Catalogue['users'][number];

/** A file that is not a catalogue; the message names each wrong place. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/** A place in a catalogue that is wrong, and why. */
export interface WrongPlace {
  path: PropertyKey[];
  message: string;
}

/** Checks a catalogue and fills in what was left out; a wrong one: each wrong place. */
export function checkCatalogue(given: unknown): { catalogue: Catalogue } | { wrong: WrongPlace[] } {
  const parsed = catalogue.safeParse(given);
  return parsed.success ? { catalogue: parsed.data } : { wrong: parsed.error.issues };
}

/**
 * Checks a catalogue and fills in what was left out.
 *
 * @throws CatalogueError naming each wrong place by its JSON path
 */
export function parseCatalogue(given: unknown): Catalogue {
  const checked = checkCatalogue(given);
  if ('catalogue' in checked) return checked.catalogue;
  const places = checked.wrong.map(({ path, message }) => `  ${jsonPath(path)}: ${message}`);
  throw new CatalogueError(`The catalogue is wrong in ${places.length} places:\n${places.join('\n')}`);
}

/** Reads a catalogue file. Throws as parseCatalogue, also when the file is not JSON. */
export async function readCatalogueFile(path: string): Promise<Catalogue> {
  const content = await readFile(path, 'utf8');
  let given: unknown;
  try {
    given = JSON.parse(content);
  } catch (error) {
    throw new CatalogueError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  return parseCatalogue(given);
}

/** JSON Schema of the catalogue file, for editors. */
export function catalogueJsonSchema(): object {
  return z.toJSONSchema(catalogue, { io: 'input', unrepresentable: 'any' });
}

/** A path as JSONPath writes it: `$.users[0].login`. */
function jsonPath(path: PropertyKey[]): string {
  return path.reduce<string>(
    (whole, part) => (typeof part === 'number' ? `${whole}[${part}]` : `${whole}.${String(part)}`),
    '$',
  );
}
