import { distinctById } from '../../base/collections.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';
import { requireVisible } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import type { BugRepository } from './repository.ts';

/**
 * Looks up bugs by ids and aliases, in the order of the names; in two batches, the aliases first.
 *
 * @param onRead is called with the bugs of each call; an error of it ends the reading
 * @returns each as the client named it; without an id where there is no such alias, without the bug where it does not exist
 */
export async function findBugs(
  names: readonly string[],
  bugs: BugRepository,
  onRead?: (bugs: readonly BugItem[]) => void,
) {
  const ids = await bugs.idsOf(names);
  const byId = await bugs.byIds(
    ids.filter((id) => id !== undefined),
    onRead,
  );
  return names.map((name, index) => {
    const id = ids[index];
    const bug = id === undefined ? undefined : byId.get(id);
    return { name, normalized: normalizeName(name.trim()), id, bug };
  });
}

/** A bug as it was looked up. */
export type FoundBug = Awaited<ReturnType<typeof findBugs>>[number];

/** The bugs that a request names, each once, in its order, looked up while the caller is authenticated. */
export async function requireBugs(
  names: readonly string[],
  awaitedCaller: Promise<Caller>,
  bugs: BugRepository,
): Promise<{ caller: Caller; bugs: BugItem[] }> {
  const [caller, found] = await Promise.all([awaitedCaller, findBugs(names, bugs)]);
  return {
    caller,
    bugs: distinctById(found.map(({ name, id, bug }) => requireVisible(name, id, bug, caller))),
  };
}

/** Names what a bug is now: another after each change and each comment. functions/bugs/README.md 4.10 */
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
