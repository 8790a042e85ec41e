import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { bytes, normalizeName } from '../../text.ts';
import type { BugField } from '../fields/field.ts';
import { SHOWN_FIELDS } from '../fields/field-rows.ts';
import { storedShape } from '../fields/registry.ts';
import { type BugItem, customValues } from '../schema.ts';

const texts = z._default(z.array(z.string()), []);

/**
 * What the search index knows of a bug: its fields, but for those that a comment changes, and the numbers of flags and
 * attachments.
 */
const indexedBug = z.extend(z.omit(z.object(storedShape()), { last_change_time: true, hours_worked: true }), {
  cc: texts,
  groups: texts,
  aliases: texts,
  qa_contact: z._default(z.string(), ''),
  is_confirmed: z._default(z.boolean(), true),
  custom: customValues,
  flag_count: z._default(z.int(), 0),
  attachment_count: z._default(z.int(), 0),
});
export type IndexedBug = z.infer<typeof indexedBug>;
type Attribute = keyof IndexedBug;

/** The fields' ids in Bugzilla, which are short and do not change. */
const CODES: ReadonlyMap<string, string> = new Map(
  SHOWN_FIELDS.flatMap(({ id, stored }) =>
    id === undefined || stored === undefined ? [] : [[stored[0], String(id)] as const],
  ),
);
const ATTRIBUTES = z.keyof(indexedBug).options;
const codeOf = (attribute: string): string => CODES.get(attribute) ?? attribute;
const byCode = new Map(ATTRIBUTES.map((attribute) => [codeOf(attribute), attribute]));

const defaultOf = (attribute: Attribute): unknown => indexedBug.shape[attribute].safeParse(undefined).data;
const DEFAULTS: ReadonlyMap<string, unknown> = new Map(
  ATTRIBUTES.map((attribute) => [attribute, defaultOf(attribute)]),
);

/** With its key and the other attributes, an entry is one write unit: 1 KB. */
const MAX_BYTES = 850;

/** Attributes that an entry has in any case: they are short, or decide who sees the bug. */
const KEPT: ReadonlySet<Attribute> = new Set([
  'id',
  'product_id',
  'component_id',
  'status',
  'groups',
  'reporter',
  'is_creator_accessible',
  'is_cc_accessible',
  'flag_count',
  'attachment_count',
]);

/** An entry of the search index as stored, without its key, which has the bug's id. */
export const indexEntryItem = z.object({
  /** of the bug */
  revision: z.optional(z.int()),
  /**
   * the values that are not the default, by code: a JSON object; absent: the entry is superseded, or was written before
   * entries had fields, so the bug has to be read
   */
  fields: z.optional(z.string()),
  /** attributes whose values are too long for the entry */
  omitted: z.optional(z.array(z.string())),
  /** where they are omitted, hashes of the people who may see the bug though they are not in its groups */
  people: z.optional(z.string()),
});
export type IndexEntryItem = z.infer<typeof indexEntryItem>;

/** What the index has of a bug, and which attributes it lacks. */
export interface IndexEntry {
  bug: IndexedBug;
  revision: number;
  /** attributes that only the bug itself has; their values in `bug` are defaults */
  omitted: ReadonlySet<string>;
  people?: string | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The attribute in which entries have a field; undefined: they do not. */
export function indexedAttribute({
  stored,
  custom,
}: Pick<BugField, 'stored' | 'custom'>): string | undefined {
  if (custom !== undefined) return 'custom';
  return stored !== undefined && DEFAULTS.has(stored[0]) ? stored[0] : undefined;
}

/** The entry of a bug as it is stored. */
export function indexEntryOf(bug: BugItem): IndexEntryItem {
  const byName = Object.entries(bug.custom).sort(([a], [b]) => (a < b ? -1 : 1));
  const values = { ...bug, custom: Object.fromEntries(byName), flag_count: bug.flags.length };
  const parts = ATTRIBUTES.flatMap((attribute) => {
    const value = values[attribute];
    if (attribute === 'id' || isDeepStrictEqual(value, DEFAULTS.get(attribute))) return [];
    return [{ attribute, text: `${JSON.stringify(codeOf(attribute))}:${JSON.stringify(value)}` }];
  });
  const omitted = new Set<Attribute>();
  let size = parts.reduce((sum, { text }) => sum + bytes(text) + 1, 0);
  for (const { attribute, text } of parts.toSorted((a, b) => bytes(b.text) - bytes(a.text))) {
    if (size <= MAX_BYTES) break;
    if (KEPT.has(attribute)) continue;
    omitted.add(attribute);
    size -= bytes(text) + 1;
  }
  const fields = parts.filter(({ attribute }) => !omitted.has(attribute)).map(({ text }) => text);
  return {
    revision: bug.revision,
    fields: `{${fields.join()}}`,
    ...(omitted.size === 0 ? {} : { omitted: [...omitted].sort() }),
    ...peopleOf(bug, omitted),
  };
}

/** Characters of a hash, of 6 bits each: one in 1,300 people is taken for one of 200 others. */
const HASH_LENGTH = 3;
const MAX_PEOPLE = 200;

const hashOf = (login: string): string =>
  createHash('sha256').update(normalizeName(login)).digest('base64url').slice(0, HASH_LENGTH);

/** The hashes of who takes part in a bug with groups, where its entry omits them; of very many: none. */
function peopleOf({ groups, cc, assigned_to, qa_contact }: BugItem, omitted: ReadonlySet<Attribute>) {
  const isKnown = !(['cc', 'assigned_to', 'qa_contact'] as const).some((attribute) => omitted.has(attribute));
  if (groups.length === 0 || isKnown || cc.length > MAX_PEOPLE) return {};
  return { people: [...cc, assigned_to, qa_contact].map(hashOf).join('') };
}

/** Whether a user may take part in a bug, of which an entry omits who does. */
export function mayTakePart({ omitted, people, bug }: IndexEntry, login: string): boolean {
  if (people === undefined) {
    return (
      (bug.is_cc_accessible && omitted.has('cc')) || omitted.has('assigned_to') || omitted.has('qa_contact')
    );
  }
  const hash = hashOf(login);
  for (let at = 0; at < people.length; at += HASH_LENGTH) if (people.startsWith(hash, at)) return true;
  return false;
}

/** An entry as it was stored; undefined: the bug has to be read. */
export function readIndexEntry(
  id: number,
  { revision, fields, omitted, people }: IndexEntryItem,
): IndexEntry | undefined {
  if (revision === undefined || fields === undefined) return undefined;
  const given = z.record(z.string(), z.unknown()).parse(JSON.parse(fields));
  const bug: Record<string, unknown> = { id };
  for (const code in given) bug[byCode.get(code) ?? code] = given[code];
  for (const attribute of omitted ?? []) bug[attribute] = DEFAULTS.get(attribute) ?? '';
  return {
    bug: indexedBug.parse(bug),
    revision,
    omitted: omitted === undefined ? NOTHING : new Set(omitted),
    people,
  };
}

/** The entry of a bug that was read: nothing is omitted. */
export const entryOfBug = (bug: BugItem): IndexEntry => ({
  bug: indexedBug.parse({ ...bug, flag_count: bug.flags.length }),
  revision: bug.revision,
  omitted: NOTHING,
});
