import type * as z from 'zod/mini';
import type { BugChange } from '../../lib/bugs/changes.ts';
import type { BugDrafts } from '../../lib/bugs/drafts.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { checkTag, MAX_TAGS } from '../../lib/comment-tags/validation.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/validation.ts';
import { commentKey } from '../../lib/dynamodb/keys.ts';
import { errors } from '../../lib/errors.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import type { bugUpdate } from './schemas.ts';
import type { BugServices } from './services.ts';

/** What a change of bugs does to their comments. */
type Given = z.output<typeof bugUpdate>;

/** @throws errors.changeDenied (401, 115) for callers who do not track time, and as parseWorkTime */
export function readWorkTime({ work_time = '' }: Given, isTimeTracker: boolean): number {
  const hours = parseWorkTime(work_time);
  if (hours !== 0 && !isTimeTracker) throw errors.changeDenied('work_time');
  return hours;
}

/** @throws errors.commentTooLong (400, 114), errors.privateNotAllowed (401, 113) */
export function readComment(
  { comment }: Given,
  caller: Caller,
  { settings }: BugServices,
): { text: string; isPrivate: boolean } {
  const given = typeof comment === 'string' ? { body: comment } : comment;
  const text = normalizeText(given?.body ?? given?.comment ?? '');
  checkLength(text);
  const isPrivate = text !== '' && (given?.is_private ?? false);
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  return { text, isPrivate };
}

/**
 * Makes comments of the bugs private or public.
 *
 * @throws errors.commentPrivacyUnknown (400, 117), errors.privateNotAllowed (401, 113)
 */
export async function setPrivacy(
  drafts: BugDrafts,
  targets: readonly BugItem[],
  { comment_is_private = {} }: Given,
  caller: Caller,
  { comments, settings }: BugServices,
): Promise<void> {
  const requested = new Map(
    Object.entries(comment_is_private).map(([id, isPrivate]) => {
      if (!isAllDigits(id)) throw errors.commentPrivacyUnknown(id);
      return [Number(id), isPrivate];
    }),
  );
  if (requested.size === 0) return;
  const found = await comments.byIds([...requested.keys()]);
  for (const target of targets) {
    const privacy = [...requested].flatMap(([id, isPrivate]) => {
      const comment = found.get(id);
      if (comment?.bug_id !== target.id) throw errors.commentPrivacyUnknown(String(id));
      const key = commentKey(comment);
      return comment.is_private === isPrivate ? [] : [{ id: comment.id, isPrivate, key }];
    });
    if (!isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
    if (privacy.length > 0) drafts.setPrivacy(target.id, privacy);
  }
}

/**
 * The tags for the comment that the request adds; none for callers who may not tag.
 *
 * @throws errors of 126 to 128 for a tag, errors.requestTooLarge (400, 32000) for more than a comment can have
 */
export function readTags({ comment_tags }: Given, caller: Caller, { settings }: BugServices): string[] {
  if (!isInGroup(caller, settings.COMMENT_TAGGERS_GROUP)) return [];
  for (const tag of comment_tags) checkTag(tag);
  if (comment_tags.length > MAX_TAGS) throw errors.requestTooLarge(`at most ${MAX_TAGS} tags on a comment`);
  return comment_tags;
}

/** Tags the comments that the request added to its bugs. */
export async function tagComments(
  targets: readonly BugItem[],
  changes: readonly BugChange[],
  newTags: string[],
  { comments, tags }: BugServices,
): Promise<void> {
  if (newTags.length === 0) return;
  const ids = targets.flatMap(({ id }) => changes.find(({ before }) => before.id === id)?.comments ?? []);
  const added = await comments.byIds(ids.map(({ id }) => id));
  for (const comment of added.values()) await tags.addAll(comment, newTags);
}
