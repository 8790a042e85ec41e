import type { CommentRepository } from './repository.ts';
import type { CommentItem, CommentPart } from './schema.ts';

interface CountedBug {
  id: number;
  comment_count: number;
  last_comment_time: string;
}

/**
 * A part of a bug's comments, in its order: as many as are shown, up to the limit. It reads no more than these and the ones
 * between them that are not shown.
 *
 * @param bug as it was read before
 * @param isCommentShown whether the caller sees a comment
 */
export async function commentPart(
  bug: CountedBug,
  part: CommentPart,
  isCommentShown: (comment: CommentItem) => boolean,
  comments: CommentRepository,
): Promise<CommentItem[]> {
  const { limit = Number.POSITIVE_INFINITY } = part;
  for (let isAgain = false; ; isAgain = true) {
    const all: CommentItem[] = [];
    for await (const page of comments.partOfBug(bug.id, part)) {
      all.push(...page);
      if (all.filter(isCommentShown).length >= limit) break;
    }
    // A transaction that runs meanwhile may be visible in part: it is complete when it is read again.
    if (isAgain || isComplete(all, bug, part)) return all.filter(isCommentShown).slice(0, limit);
  }
}

/** Whether comments follow each other without a gap, from the end that the part begins at. */
function isComplete(all: readonly CommentItem[], bug: CountedBug, part: CommentPart): boolean {
  const { isNewest, since, before } = part;
  const step = isNewest ? -1 : 1;
  const [first, ...others] = all.map(({ count }) => count);
  if (first === undefined) {
    return before !== undefined || (since !== undefined && bug.last_comment_time <= since);
  }
  if (others.some((count, index) => count !== first + step * (index + 1))) return false;
  if (!isNewest) return since !== undefined || first === 0;
  return before === undefined ? first >= bug.comment_count - 1 : first === before.count - 1;
}

/** Longer than a transaction may be visible in part. */
const RECENT_MS = 60_000;

/**
 * A bug's comments, of which the first page was read in parallel to the bug. A transaction that was running meanwhile
 * may be visible in part: a page with a gap is read again, and comments that the bug counts beyond the page are read
 * now.
 *
 * @param since `YYYY-MM-DDThh:mm:ssZ`: only newer comments
 */
export async function* completePages(
  firstPage: AsyncIterable<CommentItem[]>,
  bug: CountedBug,
  since: string | undefined,
  comments: CommentRepository,
  now: () => Date,
): AsyncGenerator<CommentItem[]> {
  const page = await firstOf(firstPage);
  const [first, last] = [page[0], page.at(-1)];
  const isLate = async ({ count, creation_time }: CommentItem): Promise<boolean> => {
    const isRecent = Date.parse(creation_time) > now().getTime() - RECENT_MS;
    return since !== undefined && isRecent && count !== (await comments.lastCountUntil(bug.id, since)) + 1;
  };
  const part = { since, before: undefined, limit: undefined, isNewest: false };
  if (!isComplete(page, bug, part) || (first !== undefined && (await isLate(first)))) {
    yield* comments.ofBug(bug.id, since);
  } else if (last !== undefined) {
    yield page;
    if (last.count + 1 < bug.comment_count) yield* comments.following(last);
  }
}

async function firstOf<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  for await (const page of pages) return page;
  return [];
}
