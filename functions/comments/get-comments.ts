import { isVisible, requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { presentComment } from '../../lib/comments/presenter.ts';
import type { CommentItem } from '../../lib/comments/schema.ts';
import { prefetch } from '../../lib/dynamodb/read.ts';
import { type BugzillaError, errors } from '../../lib/errors.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { parseTime } from '../../lib/time.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { commentQuery } from './schemas.ts';
import type { CommentServices } from './services.ts';

/**
 * Returns the comments of bugs and single comments: those of the path, of `ids` and of `comment_ids`. Any that is
 * unknown or not visible fails the request. functions/README.md 5.2.
 *
 * @throws errors of 52 and 56 for parameters, 100 to 102 for bugs, 111, 102 and 110 for comments
 */
export const getComments: Endpoint<CommentServices> = async (request, services) => {
  const { bugs, comments, settings } = services;
  const query = parseParameters(commentQuery, request.parameters);
  const bugNames = startingWith(request.pathParameter('id_or_alias'), query.ids);
  const commentNames = startingWith(request.pathParameter('comment_id'), query.comment_ids);
  const since = query.new_since === undefined ? undefined : parseTime(query.new_since);
  const wrong = wrongParameter(commentNames, query.new_since, since);
  if (wrong !== undefined) throw wrong;

  // Reads run in parallel to the authentication as far as possible.
  const bugIds = await bugs.idsOf(bugNames);
  const [first] = bugIds;
  const firstPages = first === undefined ? undefined : prefetch(comments.ofBug(first, since));
  const [caller, found, singles] = await Promise.all([
    request.caller,
    bugs.byIds(bugIds.filter((id) => id !== undefined)),
    bugs.commentsWithBugs(commentNames.map(Number)),
  ]);

  const fields = readFieldSelection(request.parameters);
  const isInsider = isInGroup(caller, settings.INSIDER_GROUP);
  const withTags = settings.COMMENT_TAGGERS_GROUP !== '';
  const view = (comment: CommentItem) => presentComment(comment, fields, withTags);
  const ofBugs = bugNames.map((given, place) => {
    const id = bugIds[place];
    const bug = requireVisible(given, id, id === undefined ? undefined : found.get(id), caller);
    const pages =
      place === 0 && firstPages !== undefined
        ? beginningWith(firstPages, bug, since, services)
        : comments.ofBug(bug.id, since);
    return [bug.id, { comments: shownComments(pages, isInsider, view) }] as const;
  });
  const shown = requireReadable(commentNames, singles, caller, isInsider);
  // A bug that was named twice appears once, with the pages of the first name, which are being read.
  return ok({
    bugs: Object.fromEntries(ofBugs.reverse()),
    comments: Object.fromEntries(shown.map((comment) => [comment.id, view(comment)])),
  });
};

/** The name in the path, if there is one, before those of the query. */
const startingWith = (inPath: string, others: string[]) => (inPath === '' ? others : [inPath, ...others]);

function wrongParameter(
  commentNames: string[],
  newSince: string | undefined,
  since: string | undefined,
): BugzillaError | undefined {
  const notNumber = commentNames.find((id) => !isAllDigits(id.trim()));
  if (notNumber !== undefined) return errors.parameterNotInteger('comment_ids', notNumber);
  if (newSince !== undefined && since === undefined) return errors.timeNotRecognized('new_since', newSince);
  return undefined;
}

/**
 * The comments, if the caller may read all of them.
 *
 * @throws errors.commentUnknown (400, 111) for any of them, then errors.bugAccessDenied (401, 102), then
 * errors.commentIsPrivate (401, 110)
 */
function requireReadable(
  names: string[],
  singles: ReadonlyMap<number, { comment: CommentItem; bug: BugItem }>,
  caller: Caller,
  isInsider: boolean,
): CommentItem[] {
  const found = names.map((name) => {
    const single = singles.get(Number(name));
    if (single === undefined) throw errors.commentUnknown(name.trim());
    return single;
  });
  for (const { bug } of found) if (!isVisible(bug, caller)) throw errors.bugAccessDenied(String(bug.id));
  const comments = found.map(({ comment }) => comment);
  const hidden = comments.find(({ is_private }) => is_private && !isInsider);
  if (hidden !== undefined) throw errors.commentIsPrivate(hidden.id);
  return comments;
}

/** Longer than a transaction may be visible in part. */
const RECENT_MS = 60_000;

/**
 * A bug's comments, of which the first page was read in parallel to the bug. A transaction that was running meanwhile
 * may be visible in part: a page with a gap is read again, and comments that the bug counts beyond the page are read
 * now.
 */
async function* beginningWith(
  firstPage: AsyncIterable<CommentItem[]>,
  bug: BugItem,
  since: string | undefined,
  { comments, now }: CommentServices,
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

async function* shownComments(
  pages: AsyncIterable<CommentItem[]>,
  isInsider: boolean,
  view: (comment: CommentItem) => Record<string, unknown>,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const page of pages) {
    yield page.filter((comment) => isInsider || !comment.is_private).map(view);
  }
}
