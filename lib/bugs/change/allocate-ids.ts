import type { BugChange } from '../changes.ts';
import type { CommentRepository } from '../comments/repository.ts';
import { countNewFlags } from '../flags/set-flags.ts';
import type { BugRepository } from '../store/repository.ts';

/** Ids that were allocated already. */
export interface AllocatedIds {
  first: number;
  count: number;
}

/**
 * Gives the comments of changes, and the flags of bugs and attachments, their ids.
 *
 * @param allocated for the comments, if they are as many
 */
export async function withIds(
  changes: readonly BugChange[],
  { bugs, comments }: { bugs: BugRepository; comments: CommentRepository },
  allocated?: AllocatedIds,
): Promise<BugChange[]> {
  const newComments = changes.flatMap((change) => change.comments);
  const newFlags = changes.map(({ after, attachments }) =>
    countNewFlags([after, ...attachments.map((one) => one.after)].flatMap(({ flags }) => flags)),
  );
  const flagCount = newFlags.reduce((sum, count) => sum + count, 0);
  const firstComment = () => {
    if (newComments.length === allocated?.count) return allocated.first;
    return newComments.length === 0 ? 0 : comments.allocateId(newComments.length);
  };
  let [comment, flag] = await Promise.all([
    firstComment(),
    flagCount === 0 ? 0 : bugs.allocateFlagIds(flagCount),
  ]);
  return changes.map((change, index) => {
    const firstFlagId = flag;
    flag += newFlags[index] ?? 0;
    return { ...change, firstFlagId, comments: change.comments.map((one) => ({ ...one, id: comment++ })) };
  });
}
