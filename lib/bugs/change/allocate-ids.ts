import type { CommentRepository } from '../../comments/repository.ts';
import { countNewFlags } from '../../flags/set-flags.ts';
import type { BugChange } from '../changes.ts';
import type { BugRepository } from '../store/repository.ts';
import type { UnnumberedChange } from './compute-changes.ts';

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
  changes: readonly UnnumberedChange[],
  { bugs, comments }: { bugs: BugRepository; comments: CommentRepository },
  allocated?: AllocatedIds,
): Promise<BugChange[]> {
  const newComments = changes.flatMap((change) => change.comments);
  const flagged = changes.flatMap(({ after, attachments }) => [
    after,
    ...attachments.map((one) => one.after),
  ]);
  const newFlags = countNewFlags(flagged.flatMap(({ flags }) => flags));
  const firstComment = () => {
    if (newComments.length === allocated?.count) return allocated.first;
    return newComments.length === 0 ? 0 : comments.allocateId(newComments.length);
  };
  let [comment, flag] = await Promise.all([
    firstComment(),
    newFlags === 0 ? 0 : bugs.allocateFlagIds(newFlags),
  ]);
  const firstFlagIdOf = ({ flags }: Pick<UnnumberedChange['after'], 'flags'>): number => {
    const first = flag;
    flag += countNewFlags(flags);
    return first;
  };
  return changes.map((change) => ({
    ...change,
    firstFlagId: firstFlagIdOf(change.after),
    attachments: change.attachments.map((one) => ({ ...one, firstFlagId: firstFlagIdOf(one.after) })),
    comments: change.comments.map((one) => ({ ...one, id: comment++ })),
  }));
}
