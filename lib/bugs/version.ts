import { errors } from '../errors.ts';
import type { BugItem } from './schema.ts';

/** Names what a bug is now: another after each change and each comment. functions/bugs/README.md 4.7 */
export const versionOf = ({ revision, comment_count }: Pick<BugItem, 'revision' | 'comment_count'>): string =>
  `${revision}.${comment_count}`;

/**
 * The versions that `If-Match` names: quoted or bare, in a list.
 *
 * @returns undefined: any
 */
export function readIfMatch(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => tag.trim().replace(/^"(.*)"$/, '$1'));
}

/**
 * Requires the only bug of a change to be in one of the versions that the request names.
 *
 * @param versions undefined: any
 * @throws BugzillaError versionMismatch (412), versionOfSeveral (400)
 */
export function requireVersion(bugs: readonly BugItem[], versions: readonly string[] | undefined): void {
  if (versions === undefined) return;
  const [only, ...others] = bugs;
  if (only === undefined || others.length > 0) throw errors.versionOfSeveral();
  if (!versions.includes(versionOf(only))) throw errors.versionMismatch(versionOf(only));
}
