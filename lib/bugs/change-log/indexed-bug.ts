import * as z from 'zod/mini';
import type { BugField } from '../fields/field.ts';
import { isStoredValue, type StoredValue } from '../fields/kinds.ts';
import { storedShape } from '../fields/registry.ts';
import { type BugItem, customValues } from '../schema.ts';

const texts = z._default(z.array(z.string()), []);
const count = z._default(z.int(), 0);

/** What the search index knows of a bug: its fields, and the numbers of its flags and attachments. */
export const indexedBug = z.extend(z.object(storedShape()), {
  cc: texts,
  groups: texts,
  aliases: texts,
  qa_contact: z._default(z.string(), ''),
  is_confirmed: z._default(z.boolean(), true),
  hours_worked: z._default(z.number(), 0),
  custom: customValues,
  flag_count: count,
  attachment_count: count,
  /** grows with each change of the bug and each comment, so that of two versions the newer one is known */
  change_count: count,
});
export type IndexedBug = z.infer<typeof indexedBug> & {
  /** attributes whose values are left out because they are long: the bug has them, here they are empty; absent: none */
  omitted?: ReadonlySet<string>;
  /** read units that the bug takes; absent: unknown */
  units?: number;
};

export type IndexedAttribute = keyof typeof indexedBug.shape;

/** The attributes of an indexed bug, beside those of custom fields. */
export const ATTRIBUTES: readonly IndexedAttribute[] = z.keyof(indexedBug).options;

/** The values of attributes that a bug has where none is stored; undefined: it always has one. */
export const DEFAULTS: ReadonlyMap<string, unknown> = new Map(
  ATTRIBUTES.map((attribute) => [attribute, indexedBug.shape[attribute].safeParse(undefined).data]),
);

/** What is never left out: what decides who sees a bug, and what the index itself compares. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set<keyof IndexedBug>([
  ...(['groups', 'cc', 'reporter', 'assigned_to', 'qa_contact'] as const),
  ...(['status', 'resolution', 'creation_time', 'last_change_time', 'custom'] as const),
]);

/** What attributes that may be left out have instead of their values: an empty text or list. */
export const EMPTY: ReadonlyMap<string, '' | []> = new Map(
  ATTRIBUTES.filter((attribute) => !ALWAYS_KNOWN.has(attribute)).flatMap((attribute) => {
    const empties = (['', []] satisfies ('' | [])[]).filter(
      (one) => indexedBug.shape[attribute].safeParse(one).success,
    );
    return empties.map((one) => [attribute, one] as const);
  }),
);

/** How many changes and comments a bug has had. */
export const changeCount = ({
  revision,
  comment_count,
}: Pick<BugItem, 'revision' | 'comment_count'>): number => revision + comment_count;

/** What the index has of a bug that was read. */
export const indexedBugOf = (bug: BugItem): IndexedBug =>
  indexedBug.parse({ ...bug, flag_count: bug.flags.length, change_count: changeCount(bug) });

/** Longer texts are not in segments. */
export const MAX_TEXT_LENGTH = 500;

/** A bug in which long texts are empty, but for some attributes: for responses that do not show them. */
export function withoutLongTexts(bug: IndexedBug, kept: ReadonlySet<string>): IndexedBug {
  const isKept = ([name, value]: [string, unknown]) =>
    typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH || kept.has(name);
  const custom = Object.fromEntries(Object.entries(bug.custom).filter(isKept));
  const emptied = Object.entries(bug).flatMap((entry) => (isKept(entry) ? [] : [[entry[0], '']]));
  return { ...bug, ...Object.fromEntries(emptied), custom };
}

/** The attribute in which the index has a field; a custom field's is its name. Undefined: it does not have it. */
export function indexedAttribute({
  stored,
  custom,
}: Pick<BugField, 'stored' | 'custom'>): string | undefined {
  return custom?.name ?? stored?.[0];
}

/** The value of an attribute of a bug, as `indexedAttribute` names it; undefined: the bug has to be read. */
export const indexedValue = (bug: IndexedBug, attribute: string): StoredValue | undefined =>
  bug.omitted?.has(attribute) ? undefined : storedIn(bug, attribute);

/** The stored value of an attribute, as `indexedAttribute` names it; empty custom fields: null. */
export function storedIn(
  bug: Readonly<Record<string, unknown>> & { custom: Readonly<Record<string, StoredValue>> },
  attribute: string,
): StoredValue {
  const value = attribute in bug ? bug[attribute] : bug.custom[attribute];
  return isStoredValue(value) ? value : null;
}
