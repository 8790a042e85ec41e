import type { Bugless } from '../support/bugless.ts';
import { recordedFile } from '../support/recorded-databases.ts';

/** A request to the recorded Bugzilla, and its response; or what its Perl code answers. */
export interface RecordedLine {
  who: string;
  path?: string;
  status?: number;
  body?: unknown;
  perl?: string;
  [field: string]: unknown;
}

/** What the recorded Bugzilla answers on an evening. A summary has a raw U+0085, so lines end at `\n` only. */
export const recordedLines = (evening: string): RecordedLine[] =>
  recordedFile(`expected-${evening}.jsonl`)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The logins of the callers of requests. */
export const CALLERS: Readonly<Record<string, string>> = {
  admin: 'admin@bugless.example',
  member: 'member@bugless.example',
  plain: 'plain@example.org',
  outsider: 'outsider@example.org',
};

/** A value that differs: where it is in the response, there and here. */
export interface Differing {
  who: string;
  path: string;
  at: string;
  there: unknown;
  here: unknown;
}

type Values = Record<string, unknown>;
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The order of names, numbers, and of what happened in the same second does not count. */
function normalized(value: unknown, field = ''): unknown {
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, normalized(one, name)]));
  }
  if (!Array.isArray(value)) return value;
  const all = value.map((one) => normalized(one));
  const isUnordered = ['changes', 'values'].includes(field) || all.every((one) => !isObject(one));
  return isUnordered ? all.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : all;
}

const textOf = (value: unknown): string =>
  isObject(value)
    ? `${value['field_name'] ?? value['name']} ${JSON.stringify(value)}`
    : String(value).padStart(9);

/** The places in which two values differ. Lists of objects with ids are compared by these. */
function* differing(there: unknown, here: unknown, at = ''): Generator<Omit<Differing, 'who' | 'path'>> {
  if (isObject(there) && isObject(here)) {
    for (const name of new Set([...Object.keys(there), ...Object.keys(here)])) {
      yield* differing(there[name], here[name], `${at}.${name}`);
    }
  } else if (Array.isArray(there) && Array.isArray(here)) {
    const [one, other] = [keyed(there), keyed(here)];
    for (const id of new Set([...one.keys(), ...other.keys()])) {
      yield* differing(one.get(id), other.get(id), `${at}[${id}]`);
    }
  } else if (there !== here) yield { at, there, here };
}

/** The elements of a list by their ids; those without one by themselves, or by their places. */
function keyed(list: readonly unknown[]): Map<unknown, unknown> {
  return new Map(
    list.map((one, index) => {
      if (!isObject(one)) return [one, one];
      const { id, name, visibility_values: by } = one;
      return [id ?? (name === undefined ? index : `${name} ${by}`), one];
    }),
  );
}

/** Asks a Bugless what the recorded Bugzilla was asked. @param keyOf of a login */
export async function differencesFrom(
  { call }: Bugless,
  lines: readonly RecordedLine[],
  keyOf: (login: string) => string | undefined,
): Promise<Differing[]> {
  const found: Differing[] = [];
  for (const { who, path, status, body } of lines) {
    if (path === undefined) continue;
    const reply = await call('GET', path, { key: keyOf(CALLERS[who] ?? '') });
    const all =
      reply.status === status
        ? differing(normalized(body), normalized(reply.body))
        : [{ at: 'status', there: status, here: reply.status }];
    for (const one of all) found.push({ who, path, ...one });
  }
  return found;
}
