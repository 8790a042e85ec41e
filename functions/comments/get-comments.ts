import { isVisible, requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { presentComment } from '../../lib/comments/presenter.ts';
import type { CommentRepository } from '../../lib/comments/repository.ts';
import type { CommentItem } from '../../lib/comments/schema.ts';
import { prefetch } from '../../lib/dynamodb/read.ts';
import { type BugzillaError, errors } from '../../lib/errors.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { CommentServices } from '../../lib/services.ts';
import { parseTime } from '../../lib/time.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import { commentQuery } from './schemas.ts';

/**
 * Answers all comments of bugs and single comments: those of the path, of `ids` and of `comment_ids`. Any
 * that is not there, or not for the caller, fails the whole request. functions/README.md 5.2.
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

  // All that can be known to be needed is read while it is found out who asks.
  const bugIds = await mapConcurrent(bugNames, bugs.idOf);
  const [first] = bugIds;
  const firstPages = first === undefined ? undefined : prefetch(comments.ofBug(first, since));
  const [caller, found, single] = await Promise.all([
    request.caller,
    bugs.byIds(bugIds.filter((id) => id !== undefined)),
    readSingle(services, commentNames.map(Number)),
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
        ? beginningWith(firstPages, bug, since, comments)
        : comments.ofBug(bug.id, since);
    return [bug.id, { comments: shownComments(pages, isInsider, view) }] as const;
  });
  const singles = single.map(({ id, comment, bug }, place) => {
    if (comment === undefined || bug === undefined) {
      throw errors.commentUnknown(commentNames[place]?.trim() ?? String(id));
    }
    if (!isVisible(bug, caller)) throw errors.bugAccessDenied(String(bug.id));
    if (comment.is_private && !isInsider) throw errors.commentIsPrivate(id);
    return [id, view(comment)] as const;
  });
  // A bug that was named twice stands once, with the pages that are being read: those of the first name.
  return ok({ bugs: Object.fromEntries(ofBugs.reverse()), comments: Object.fromEntries(singles) });
};

/** What the path names, if anything, before what the query names. */
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

interface Single {
  id: number;
  comment: CommentItem | undefined;
  bug: BugItem | undefined;
}

/** Comments by id, each with its bug; two reads in sequence however many they are. */
async function readSingle({ bugs, comments }: CommentServices, ids: number[]): Promise<Single[]> {
  const places = await comments.pointers(ids);
  const [found, theirBugs] = await Promise.all([
    comments.byPointers(places),
    bugs.byIds(places.map(({ bug_id }) => bug_id)),
  ]);
  return ids.map((id) => {
    const comment = found.get(id);
    return { id, comment, bug: comment === undefined ? undefined : theirBugs.get(comment.bug_id) };
  });
}

/**
 * A bug's comments, of which the first page was read before the bug was. Comments that are added with their bug are
 * there in part before it: what the bug has beyond that page is read now.
 */
async function* beginningWith(
  firstPage: AsyncIterable<CommentItem[]>,
  bug: BugItem,
  since: string | undefined,
  comments: CommentRepository,
): AsyncGenerator<CommentItem[]> {
  const known = await firstOf(firstPage);
  const last = isBeginning(known, since) ? known.at(-1) : undefined;
  if (last === undefined) {
    const hasNone = since !== undefined && known.length === 0 && bug.last_comment_time <= since;
    if (!hasNone) yield* comments.ofBug(bug.id, since);
    return;
  }
  yield known;
  if (last.count + 1 < bug.comment_count) yield* comments.following(last);
}

async function firstOf<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  for await (const page of pages) return page;
  return [];
}

/** Whether none of the comments is missing before the last of these. */
const isBeginning = (page: CommentItem[], since: string | undefined): boolean => {
  const first = since === undefined ? 0 : (page[0]?.count ?? 0);
  return page.every(({ count }, place) => count === first + place);
};

async function* shownComments(
  pages: AsyncIterable<CommentItem[]>,
  isInsider: boolean,
  view: (comment: CommentItem) => Record<string, unknown>,
): AsyncGenerator<Record<string, unknown>> {
  for await (const page of pages) {
    yield* page.filter((comment) => isInsider || !comment.is_private).map(view);
  }
}
