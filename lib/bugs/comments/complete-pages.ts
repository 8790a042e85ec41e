import type { CommentRepository } from './repository.ts';
import type { CommentItem } from './schema.ts';

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
  bug: { id: number; comment_count: number; last_comment_time: string },
  since: string | undefined,
  comments: CommentRepository,
  now: () => Date,
): AsyncGenerator<CommentItem[]> {
  const page = await firstOf(firstPage);
  const last = page.at(-1);
  if (last === undefined) {
    const hasNone = since !== undefined && bug.last_comment_time <= since;
    if (!hasNone) yield* comments.ofBug(bug.id, since);
    return;
  }
  if (await hasGap(page)) {
    yield* comments.ofBug(bug.id, since);
    return;
  }
  yield page;
  if (last.count + 1 < bug.comment_count) yield* comments.following(last);

  async function hasGap([first, ...others]: CommentItem[]): Promise<boolean> {
    if (first === undefined) return false;
    if (others.some(({ count }, index) => count !== first.count + index + 1)) return true;
    if (since === undefined) return first.count !== 0;
    const isRecent = Date.parse(first.creation_time) > now().getTime() - RECENT_MS;
    return isRecent && first.count !== (await comments.lastCountUntil(bug.id, since)) + 1;
  }
}

async function firstOf<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  for await (const page of pages) return page;
  return [];
}
