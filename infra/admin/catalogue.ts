import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { checkTag } from '../../lib/comments/tag-rules.ts';
import { characters, fold } from '../../lib/text.ts';
import { parseTime } from '../../lib/time.ts';

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

const LONGEST_COMMENT = 65_535;

const comment = z.strictObject({
  id,
  text: text.refine(
    (given) => characters(given) <= LONGEST_COMMENT,
    `must have at most ${LONGEST_COMMENT} characters`,
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

const catalogue = z
  .strictObject({
    $schema: z.string().optional(),
    groups: z.array(group).default([]),
    users: z.array(user).default([]),
    classifications: z.array(classification).default([]),
    products: z.array(product).default([]),
    bugs: z.array(bug).default([]),
    /** how the search spells tags that comments spell in several ways */
    tag_spellings: z.array(tag).default([]),
  })
  .superRefine((all, context) => {
    const report = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    unique(all.groups, ['groups'], report);
    unique(all.users, ['users'], report, ({ login }) => login);
    unique(all.classifications, ['classifications'], report);
    unique(all.products, ['products'], report);
    for (const [p, one] of all.products.entries()) {
      const path = ['products', p];
      for (const part of ['components', 'versions', 'milestones'] as const) {
        unique(one[part], [...path, part], report);
      }
      const components = new Set(one.components.map((component) => component.name));
      for (const [f, type] of one.flag_types.entries()) {
        for (const [c, wanted] of (type.components ?? []).entries()) {
          if (!components.has(wanted)) {
            report([...path, 'flag_types', f, 'components', c], 'is not a component of the product');
          }
        }
      }
      const milestones = one.milestones.map((milestone) => milestone.name);
      if (
        one.default_milestone !== undefined &&
        milestones.length > 0 &&
        !milestones.includes(one.default_milestone)
      ) {
        report([...path, 'default_milestone'], 'is not a milestone of the product');
      }
    }
    for (const part of ['components', 'versions', 'milestones'] as const) {
      const parts = all.products.flatMap((one, p) =>
        one[part].map((given, at) => ({ id: given.id, path: ['products', p, part, at] })),
      );
      uniqueIds(parts, report);
    }
    unique(
      all.bugs.flatMap((one, b) =>
        one.aliases.map((alias, a) => ({ name: alias, path: ['bugs', b, 'aliases', a] })),
      ),
      [],
      report,
    );
    uniqueIds(
      all.bugs.map(({ id }, b) => ({ id, path: ['bugs', b] })),
      report,
    );
    uniqueIds(
      all.bugs.flatMap((one, b) =>
        one.comments.map(({ id }, c) => ({ id, path: ['bugs', b, 'comments', c] })),
      ),
      report,
    );
    for (const [b, one] of all.bugs.entries()) {
      one.comments.forEach(({ creation_time }, c) => {
        const before = one.comments[c - 1];
        if (before !== undefined && creation_time < before.creation_time) {
          report(['bugs', b, 'comments', c, 'creation_time'], 'is before that of the comment before it');
        }
      });
    }
    const keys = all.users.flatMap(({ api_keys }, u) =>
      api_keys.map(({ key, key_sha256 }, k) => ({
        name: key ?? key_sha256 ?? '',
        path: ['users', u, 'api_keys', k],
      })),
    );
    unique(
      keys,
      [],
      report,
      ({ name }) => name,
      (given) => given,
    );
  });

/** A catalogue, complete: what was left out has its default. */
export type Catalogue = z.output<typeof catalogue>;
export type CatalogueProduct = Catalogue['products'][number];
export type CatalogueBug = Catalogue['bugs'][number];
export type CatalogueUser = Catalogue['users'][number];

type Report = (path: PropertyKey[], message: string) => void;
type Placed = { name?: string; id?: number | undefined; path?: PropertyKey[] };

function unique<T extends Placed>(
  all: T[],
  path: PropertyKey[],
  report: Report,
  nameOf: (one: T) => string = (one) => one.name ?? '',
  folded: (name: string) => string = fold,
): void {
  const seen = new Set<string>();
  all.forEach((one, place) => {
    const key = folded(nameOf(one));
    if (seen.has(key)) report(one.path ?? [...path, place], 'stands in the file twice');
    seen.add(key);
  });
  uniqueIds(
    all.map((one, place) => ({ id: one.id, path: one.path ?? [...path, place] })),
    report,
  );
}

function uniqueIds(all: { id: number | undefined; path: PropertyKey[] }[], report: Report): void {
  const seen = new Set<number>();
  for (const { id, path } of all) {
    if (id === undefined) continue;
    if (seen.has(id)) report([...path, 'id'], `the id ${id} stands in the file twice`);
    seen.add(id);
  }
}

/** A file that is not a catalogue; the message names each wrong place. */
export class WrongCatalogue extends Error {
  override name = 'WrongCatalogue';
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
 * @throws WrongCatalogue naming each wrong place by its JSON path
 */
export function parseCatalogue(given: unknown): Catalogue {
  const checked = checkCatalogue(given);
  if ('catalogue' in checked) return checked.catalogue;
  const places = checked.wrong.map(({ path, message }) => `  ${jsonPath(path)}: ${message}`);
  throw new WrongCatalogue(`The catalogue is wrong in ${places.length} places:\n${places.join('\n')}`);
}

/** Reads a catalogue file. Throws as parseCatalogue, also when the file is not JSON. */
export async function readCatalogueFile(path: string): Promise<Catalogue> {
  const content = await readFile(path, 'utf8');
  let given: unknown;
  try {
    given = JSON.parse(content);
  } catch (error) {
    throw new WrongCatalogue(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
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
