import { errors } from '../errors.ts';
import { characters, hasInvisibleCharacter, normalizeName, trim } from './text.ts';

/** In UTF-8, of a name or another text that keys contain, when normalized. */
const MAX_KEY_PART_BYTES = 1_000;

/**
 * Whether `text` can be part of a key: not empty, and at most 1,000 bytes when normalized (DynamoDB allows 2,048 for
 * `pk` and 1,024 for `sk`). No item exists for what cannot be a key.
 */
export function canBeKey(text: string): boolean {
  return text !== '' && text.isWellFormed() && Buffer.byteLength(normalizeName(text)) <= MAX_KEY_PART_BYTES;
}

/** Characters of the name of a product, version, milestone or component. */
export const MAX_NAME_LENGTH = 64;

/** What may be wrong with a name. */
type NameFault = 'blank' | 'tooLong' | 'invisible';

/**
 * What is wrong with a trimmed name: it is blank, too long for its entity or for a key, or has control or invisible
 * characters. The rule of names in requests, catalogues and settings alike.
 *
 * @param max length in characters
 */
export function nameFault(name: string, max: number): NameFault | undefined {
  if (name === '') return 'blank';
  if (characters(name) > max) return 'tooLong';
  if (!name.isWellFormed() || hasInvisibleCharacter(name)) return 'invisible';
  return canBeKey(name) ? undefined : 'tooLong';
}

const messageOf: Record<NameFault, (max: number) => string> = {
  blank: () => 'must not be blank, nor begin or end with white space',
  tooLong: (max) =>
    `must have at most ${max} characters${4 * max > MAX_KEY_PART_BYTES ? `, and ${MAX_KEY_PART_BYTES} bytes` : ''}`,
  invisible: () => 'must not have control characters or invisible characters',
};

/**
 * The rule that a name of a catalogue or an operator breaks, which is not trimmed.
 *
 * @returns continues a sentence about the name; undefined when it is valid
 */
export function nameProblem(name: string, max: number): string | undefined {
  const fault = trim(name) === name ? nameFault(name, max) : 'blank';
  return fault === undefined ? undefined : messageOf[fault](max);
}

/**
 * A name of a request, trimmed.
 *
 * @param max length in characters
 * @param own errors of the entity; without one it is that of an invalid parameter (400, 53)
 */
export function checkName(
  parameter: string,
  given: string,
  max: number,
  own: Partial<Record<NameFault, (name: string) => Error>> = {},
): string {
  const name = trim(given);
  const fault = nameFault(name, max);
  if (fault === undefined) return name;
  throw own[fault]?.(name) ?? errors.parameterInvalid(parameter, `it ${messageOf[fault](max)}`);
}

/** How a list of names changes; `set` replaces it. */
export interface ListUpdate {
  add: string[];
  remove: string[];
  set?: string[] | undefined;
}

/** Names without blank ones, trimmed, each once in whatever case it is repeated. */
export function distinctNames(given: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const name of given.map((one) => one.trim())) {
    if (name !== '' && !names.has(normalizeName(name))) names.set(normalizeName(name), name);
  }
  return [...names.values()];
}

/**
 * A list of names after an update. Case is ignored; names that are in the list already keep their spelling; a name that
 * is both added and removed is removed.
 *
 * Two lists have rules of their own: ids of dependencies (`relate` in bugs/change/links.ts), where bugs that the caller
 * does not see stay; and groups of users (`updatedList` in people/change-users.ts), where a name that is both added and
 * removed is added.
 *
 * @param known checks the names of the update, and gives their stored spelling
 */
export function updatedNames(
  list: readonly string[],
  { add = [], remove = [], set }: Partial<Readonly<ListUpdate>>,
  known: (names: string[]) => string[] = (names) => names,
): string[] {
  if (set !== undefined) return distinctNames(known(set));
  const removed = new Set(known(remove).map(normalizeName));
  return distinctNames([...list, ...known(add)]).filter((name) => !removed.has(normalizeName(name)));
}

/** How a request names a thing: by an id in digits, or by a name, which may have digits only. */
export interface Named {
  given: string;
  byId: boolean;
}
