import { errors } from '../../errors.ts';
import type { BugItem } from '../schema.ts';
import type { BugDrafts } from './drafts.ts';

/** Reads bugs by id; unknown ones are left out. */
export type ReadBugs = (ids: number[]) => Promise<ReadonlyMap<number, BugItem>>;

/** More bugs than that are not followed: a request would take too long. */
const MAX_FOLLOWED = 2_000;

/** Checks that a bug does not depend on itself, however many bugs are in between. */
export async function checkDependencies(drafts: BugDrafts, id: number, read: ReadBugs): Promise<void> {
  await follow(
    drafts,
    id,
    ({ depends_on }) => depends_on,
    read,
    () => errors.dependencyLoop(id),
  );
}

/** Checks that a bug is not a duplicate of itself, however many bugs are in between. */
export async function checkDuplicates(drafts: BugDrafts, id: number, read: ReadBugs): Promise<void> {
  const next = ({ dupe_of }: BugItem) => (dupe_of === null ? [] : [dupe_of]);
  await follow(drafts, id, next, read, () => errors.duplicateLoop(id));
}

async function follow(
  drafts: BugDrafts,
  start: number,
  next: (bug: BugItem) => readonly number[],
  read: ReadBugs,
  loop: () => Error,
): Promise<void> {
  const seen = new Set<number>();
  for (let level = [start]; level.length > 0; ) {
    const unread = level.filter((id) => drafts.get(id) === undefined);
    if (unread.length > 0) drafts.add((await read(unread)).values());
    const bugs = level.map((id) => drafts.get(id)).filter((bug) => bug !== undefined);
    const found = new Set(bugs.flatMap((bug) => [...next(bug)]));
    if (found.has(start)) throw loop();
    level = [...found].filter((id) => !seen.has(id));
    for (const id of level) seen.add(id);
    if (seen.size > MAX_FOLLOWED)
      throw errors.requestTooLarge(`at most ${MAX_FOLLOWED} bugs that depend on each other`);
  }
}
