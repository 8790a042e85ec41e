import { isAllDigits } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { commentKey } from '../../table/keys.ts';
import type { TagRepository } from '../comment-tags/repository.ts';
import { checkTag, MAX_TAGS } from '../comment-tags/validation.ts';
import { requireInsider } from '../comments/presenter.ts';
import type { CommentRepository } from '../comments/repository.ts';
import { parseWorkTime } from '../comments/validation.ts';
import type { Editor } from '../permissions.ts';
import type { BugDrafts } from './drafts.ts';

/** Hours worked that come with an update. */
export function checkWorkTime(given: string | undefined, { isTimeTracker }: Editor): number {
  const hours = parseWorkTime(given ?? '');
  if (hours !== 0 && !isTimeTracker) throw errors.changeDenied('work_time');
  return hours;
}

/**
 * Makes comments of bugs private or public. What changes nothing takes no right.
 *
 * @param requested by the ids of the comments
 */
export async function setPrivacy(
  drafts: BugDrafts,
  targets: readonly number[],
  requested: Readonly<Record<string, boolean>>,
  { isInsider }: Editor,
  comments: CommentRepository,
): Promise<void> {
  const byId = new Map(
    Object.entries(requested).map(([id, isPrivate]) => {
      if (!isAllDigits(id)) throw errors.commentPrivacyUnknown(id);
      return [Number(id), isPrivate];
    }),
  );
  if (byId.size === 0) return;
  const found = await comments.byIds([...byId.keys()]);
  for (const target of targets) {
    const privacy = [...byId].flatMap(([id, isPrivate]) => {
      const comment = found.get(id);
      if (comment?.bug_id !== target) throw errors.commentPrivacyUnknown(String(id));
      const changed = { count: comment.count, isPrivate, key: commentKey(comment) };
      return comment.is_private === isPrivate ? [] : [changed];
    });
    if (privacy.length > 0) requireInsider(isInsider);
    drafts.setPrivacy(target, privacy);
  }
}

/** The tags for the comment that a request adds; none for callers who may not tag. */
export function checkTags(given: readonly string[], { isTagger }: Editor): readonly string[] {
  if (!isTagger) return [];
  for (const tag of given) checkTag(tag);
  if (given.length > MAX_TAGS) throw errors.requestTooLarge(`at most ${MAX_TAGS} tags on a comment`);
  return given;
}

/** Tags comments that a request added. */
export async function tagComments(
  ids: number[],
  newTags: readonly string[],
  comments: CommentRepository,
  tags: TagRepository,
): Promise<void> {
  if (newTags.length === 0) return;
  for (const comment of (await comments.byIds(ids)).values()) await tags.changeAll(comment, [...newTags]);
}
