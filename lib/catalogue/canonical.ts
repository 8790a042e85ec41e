import { createHash } from 'node:crypto';
import type { Catalogue } from './schema.ts';

/**
 * What entries of two catalogues say, so that they can be compared: absent values, null, '', empty lists and defaults are one, and the
 * order of lists does not count, but for those of legal values.
 */

/** Values that mean the same as absent ones. */
const DEFAULTS: Partial<Record<string, unknown>> = { is_active: true, email_enabled: true };

function canonical(value: unknown, isOrdered = false): unknown {
  if (Array.isArray(value)) {
    const all = value.map((one) => canonical(one));
    if (isOrdered) return all;
    return all
      .map((one): [string, unknown] => [JSON.stringify(one) ?? '', one])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, one]) => one);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([name, content]): [string, unknown] => [name, canonical(content, isOrdered)])
    .filter(([name, content]) => isSaid(name, content))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** Whether a value says something: switches that are on by default where they are off. */
const isSaid = (name: string, value: unknown): boolean =>
  Object.hasOwn(DEFAULTS, name)
    ? value !== undefined && value !== null && value !== DEFAULTS[name]
    : !isAbsent(value);

const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0);

const HASH_LENGTH = 12;

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
    .slice(0, HASH_LENGTH);

/** What an entry says: a line with the name and a hash of each field that is not absent. */
const signatureOf = (entry: object, isOrdered = false): string =>
  Object.entries(entry)
    .map(([name, value]): [string, unknown] => [name, canonical(value, isOrdered)])
    .filter(([name, value]) => isSaid(name, value))
    .map(([name, value]) => `${name} ${hashOf(value)}`)
    .sort()
    .join('\n');

/** The signature of a bug, as a short text. @param attachments with what is compared of their data */
export const bugSignature = (bug: object, attachments: readonly object[]): string =>
  signatureOf({ ...bug, attachments });

/** A signature that is compared as a whole, in little memory. */
export const shortened = (signature: string): string => hashOf(signature);

/** The fields in which two entries differ, by their signatures. */
export function differingFields(one: string, other: string): string[] {
  const lines = new Set(one.split('\n')).symmetricDifference(new Set(other.split('\n')));
  return [...new Set([...lines].map((line) => line.slice(0, line.lastIndexOf(' '))))].sort();
}

/** A difference of two catalogues. */
export interface Difference {
  /** `users`, `bugs` */
  kind: string;
  /** the name and the id */
  entry: string;
  /** where it is alone: `added` is in the first only, `removed` in the second only */
  change: 'added' | 'removed' | 'changed';
  /** that differ */
  fields: string[];
}

const LISTS = ['groups', 'users', 'classifications', 'products'] as const;

/** What differs between two catalogues but for their bugs, by the ids of entries. Keys that were made here do not count. */
export function settingsDifferences(source: Catalogue, table: Catalogue): Difference[] {
  const byId = (all: readonly { id?: number | undefined }[]) => new Map(all.map((one) => [one.id, one]));
  const known = new Map(
    source.users.map(({ id, api_keys }) => [id, new Set(api_keys.map((key) => key.key_sha256))]),
  );
  const users = table.users.map((user) => ({
    ...user,
    api_keys: user.api_keys
      .filter(({ key_sha256, created_at }) => created_at === undefined || known.get(user.id)?.has(key_sha256))
      .map(({ created_at: _, ...key }) => key),
  }));
  const here = { ...table, users };
  return [
    ...LISTS.flatMap((kind) => entryDifferences(kind, byId(source[kind]), byId(here[kind]))),
    ...(['keywords', 'bug_fields'] as const).flatMap((kind) => {
      const byName = (all: readonly { name: string }[]) => new Map(all.map((one) => [one.name, one]));
      return entryDifferences(kind, byName(source[kind]), byName(here[kind]));
    }),
    ...entryDifferences(
      'field_values',
      new Map([['', source.field_values]]),
      new Map([['', here.field_values]]),
      true,
    ),
  ];
}

function entryDifferences(
  kind: string,
  source: ReadonlyMap<unknown, object>,
  table: ReadonlyMap<unknown, object>,
  isOrdered = false,
): Difference[] {
  return [...new Set([...source.keys(), ...table.keys()])].flatMap((key): Difference[] => {
    const [one, other] = [source.get(key), table.get(key)];
    const entry = nameOf(one ?? other ?? {}, key);
    if (one === undefined || other === undefined) {
      return [{ kind, entry, change: other === undefined ? 'added' : 'removed', fields: [] }];
    }
    const fields = differingFields(signatureOf(one, isOrdered), signatureOf(other, isOrdered));
    return fields.length === 0 ? [] : [{ kind, entry, change: 'changed', fields }];
  });
}

function nameOf(entry: object, key: unknown): string {
  const fields = new Map(Object.entries(entry));
  return `${String(fields.get('login') ?? fields.get('name') ?? '')} ${String(key)}`.trim();
}
