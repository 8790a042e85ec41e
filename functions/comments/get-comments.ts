import { distinctById, mapConcurrent } from '../../lib/base/collections.ts';
import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { readListPart } from '../../lib/base/list-part.ts';
import { parseLooseTime } from '../../lib/base/loose-time.ts';
import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { isAllDigits } from '../../lib/base/text.ts';
import { isAttachmentShown, withSummary } from '../../lib/bugs/attachments/presenter.ts';
import { commentPart, completePages } from '../../lib/bugs/comments/comment-part.ts';
import { presentComment } from '../../lib/bugs/comments/presenter.ts';
import type { CommentRepository } from '../../lib/bugs/comments/repository.ts';
import { commentQuery } from '../../lib/bugs/comments/requests.ts';
import type { CommentItem } from '../../lib/bugs/comments/schema.ts';
import { requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { requireReadableComments } from '../../lib/bugs/store/comments-with-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { type Caller, isInGroup } from '../../lib/people/caller.ts';
import { BOUNDED_CONCURRENCY, hasReadLess } from '../../lib/table/consumption.ts';
import { prefetch } from '../../lib/table/read.ts';
import type { CommentServices } from './services.ts';

/** The comments of each take a query. */
const MAX_BUGS_OF_COMMENTS = 500;

/**
 * Returns the comments of bugs and single comments: those of the path, of `ids` and of `comment_ids`. Any that is
 * unknown or not visible fails the request. functions/README.md 5.2.
 */
export const getComments: Endpoint<CommentServices> = async (request, services) => {
  const { bugs, comments, settings } = services;
  const query = parseParameters(commentQuery, request.parameters);
  const bugNames = [...new Set(request.named('id_or_alias', query.ids))];
  if (bugNames.length > MAX_BUGS_OF_COMMENTS)
    throw errors.requestTooLarge(`at most ${MAX_BUGS_OF_COMMENTS} bugs`);
  const commentNames = [...new Set(request.named('comment_id', query.comment_ids))];
  const since = query.new_since === undefined ? undefined : parseLooseTime(query.new_since);
  for (const id of commentNames)
    if (!isAllDigits(id.trim())) throw errors.parameterNotInteger('comment_ids', id);
  if (query.new_since !== undefined && since === undefined)
    throw errors.timeNotRecognized('new_since', query.new_since);

  const part = readListPart(query);
  const isPart = part.limit !== undefined || part.isNewest || query.before !== undefined;
  if (query.before !== undefined && bugNames.length !== 1) {
    throw errors.parameterInvalid('before', 'it is for the comments of one bug');
  }

  // Reads run in parallel to the authentication as far as possible.
  const bugIds = await bugs.idsOf(bugNames);
  const [first] = bugIds;
  const firstPages = first === undefined || isPart ? undefined : prefetch(comments.ofBug(first, since));
  const [caller, found, singles] = await Promise.all([
    request.caller,
    bugs.byIds(bugIds.filter((id) => id !== undefined)),
    services.commentsWithBugs(commentNames.map(Number)),
  ]);

  const fields = readFieldSelection(request.parameters);
  const isInsider = isInGroup(caller, settings.INSIDER_GROUP);
  const withTags = settings.COMMENT_TAGGERS_GROUP !== '';
  const visible = distinctById(
    bugNames.map((given, index) => {
      const id = bugIds[index];
      return requireVisible(given, id, id === undefined ? undefined : found.get(id), caller);
    }),
  );
  const named = commentNames.map((name) => requireKnown(name, singles));
  const shown = requireReadableComments(named, caller, isInsider);
  const summaries = await readSummaries(
    [...visible, ...named.map(({ bug }) => bug)],
    caller,
    isInsider,
    services,
  );
  const view = (comment: CommentItem) => presentComment(withSummary(comment, summaries), fields, withTags);
  const isCommentShown = (comment: CommentItem) => isInsider || !comment.is_private;
  const [only] = visible;
  const before =
    query.before === undefined || only === undefined
      ? undefined
      : await requireBefore(query.before, only.id, isCommentShown, comments);
  const parts = isPart
    ? await mapConcurrent(
        visible,
        (bug) => commentPart(bug, { ...part, since, before }, isCommentShown, comments),
        BOUNDED_CONCURRENCY,
      )
    : undefined;
  const ofBugs = visible.map((bug, index) => {
    const shownPart = parts?.[index];
    if (shownPart !== undefined) return [bug.id, { comments: shownPart.map(view) }] as const;
    const pages =
      index === 0 && firstPages !== undefined
        ? completePages(firstPages, bug, since, comments, services.now)
        : comments.ofBug(bug.id, since);
    return [bug.id, { comments: shownComments(pages, isCommentShown, view) }] as const;
  });
  return ok({
    bugs: Object.fromEntries(ofBugs),
    comments: Object.fromEntries(shown.map((comment) => [comment.id, view(comment)])),
  });
};

/**
 * The comment that a part of the comments of a bug ends before.
 *
 * @throws BugzillaError when it is no comment of the bug that the caller sees
 */
async function requireBefore(
  given: string,
  bug: number,
  isCommentShown: (comment: CommentItem) => boolean,
  comments: CommentRepository,
): Promise<CommentItem> {
  const id = requireInteger('before', given.trim());
  const found = (await comments.byIds([id])).get(id);
  if (found === undefined || found.bug_id !== bug || !isCommentShown(found)) {
    throw errors.commentUnknown(String(id));
  }
  return found;
}

function requireKnown<T>(name: string, singles: ReadonlyMap<number, T>): T {
  const single = singles.get(Number(name));
  if (single === undefined) throw errors.commentUnknown(name.trim());
  return single;
}

async function* shownComments(
  pages: AsyncIterable<CommentItem[]>,
  isCommentShown: (comment: CommentItem) => boolean,
  view: (comment: CommentItem) => Record<string, unknown>,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const page of pages) {
    yield page.filter(isCommentShown).map(view);
  }
}

/** Read units for present summaries; comments on further attachments show that of their time. */
const MAX_SUMMARY_UNITS = 1_000;

/** The summaries of the attachments of bugs that the caller may see, by id: read only for bugs that have some. */
async function readSummaries(
  bugs: readonly BugItem[],
  caller: Caller,
  isInsider: boolean,
  { attachments }: CommentServices,
): Promise<Map<number, string>> {
  const ids = bugs.filter(({ attachment_count }) => attachment_count > 0).map(({ id }) => id);
  const summaries = new Map<number, string>();
  for (const id of new Set(ids)) {
    if (!hasReadLess(MAX_SUMMARY_UNITS)) break;
    for await (const page of attachments.pagesOfBug(id)) {
      for (const one of page)
        if (isAttachmentShown(one, caller, isInsider)) summaries.set(one.id, one.summary);
      if (!hasReadLess(MAX_SUMMARY_UNITS)) break;
    }
  }
  return summaries;
}
