import * as z from 'zod/mini';
import { queryText, readQuery } from '../../base/parameters.ts';
import { normalizeName, trim } from '../../base/text.ts';
import { extensibleObject } from '../../table/extensible-object.ts';

const savedSearch = extensibleObject({
  /** among the searches of the user; never given twice */
  id: z.int(),
  name: z.string(),
  /** of the address of a list: `product=Alpha&bug_status=NEW` */
  query: z.string(),
  /** of the group that sees the search; absent: its owner alone */
  group_id: z.optional(z.int()),
});
export type SavedSearch = z.infer<typeof savedSearch>;

/** The saved searches of a user. */
export const savedSearchesItem = z.object({
  user_id: z.int(),
  searches: z.array(savedSearch),
  /** the last id that was given */
  last_id: z.int(),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type SavedSearchesItem = z.infer<typeof savedSearchesItem>;

/** Who shares searches with a group. */
export const sharersItem = z.object({
  group_id: z.int(),
  user_ids: z.array(z.int()),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});

/** Of a user. */
const MAX_SEARCHES = 100;
/** Of one search, in characters, which are ASCII. An address has at most 10,240 bytes. */
const MAX_QUERY_LENGTH = 4_000;
/** Of all searches of a user, with their names in UTF-16: all of them are one item. */
const MAX_LENGTH_TOGETHER = 60_000;

/** Parameters that hold credentials, which others must not see. */
const CREDENTIAL = /^(bugzilla_)?(api_?key|token|login|password)$/i;

/**
 * The query of a search as it is stored: percent-encoded, without what stands before its `?`, and without credentials.
 *
 * @param given an address of a list, or its query
 */
export function storedQuery(given: string): string {
  const query = trim(given).replace(/^[^?=&]*\?/, '');
  const characterForEachByte = Buffer.from(query).toString('latin1');
  return queryText(readQuery(characterForEachByte), (name) => !CREDENTIAL.test(name));
}

/** The rule that a stored query breaks; undefined when it is valid. */
export function queryProblem(query: string): string | undefined {
  if (query === '') return 'must have a parameter of a search';
  return query.length > MAX_QUERY_LENGTH
    ? `must have at most ${MAX_QUERY_LENGTH} characters, percent-encoded`
    : undefined;
}

/** The rule that the searches of a user break together; undefined when they are valid. */
export function searchesProblem(searches: readonly { name: string; query: string }[]): string | undefined {
  if (searches.length > MAX_SEARCHES) return `at most ${MAX_SEARCHES} saved searches of a user`;
  const length = searches.reduce((sum, { name, query }) => sum + name.length + query.length, 0);
  return length > MAX_LENGTH_TOGETHER
    ? `saved searches of a user with at most ${MAX_LENGTH_TOGETHER} characters together`
    : undefined;
}

/** Whether two searches of a user have the same name. */
export const isSameName = (one: { name: string }, other: { name: string }): boolean =>
  normalizeName(one.name) === normalizeName(other.name);
