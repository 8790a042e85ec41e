import { isDeepStrictEqual } from 'node:util';
import type { User } from '../../people/caller.ts';
import { type ReadProduct, unchangedProduct } from '../../products/product-index.ts';
import { bugKey } from '../../table/keys.ts';
import { ABSENT, type Action, differingAttributes, setAction } from '../../table/write.ts';
import { putAttachmentActions } from '../attachments/repository.ts';
import { logActions, withLogTime } from '../change-log/change-log.ts';
import type { LoggedChange } from '../change-log/logged-change.ts';
import type { BugChange } from '../changes.ts';
import type { FlagItem } from '../flags/schema.ts';
import { countNewFlags, finishFlags } from '../flags/set-flags.ts';
import type { BugItem, HistoryItem } from '../schema.ts';
import { addComments, type BugWrite } from './add-comments.ts';
import { putHistoryActions } from './history.ts';
import { unchanged } from './unchanged.ts';

/**
 * The transaction actions that write a bug, the first on the bug itself, and log its change. The condition fails when
 * the bug exists, was changed, or a comment was added, since it was read.
 *
 * @param read undefined: the bug is new
 * @param now the time of writing, `YYYY-MM-DDThh:mm:ssZ`
 * @param change as in logActions
 */
export function putBugActions(
  read: BugItem | undefined,
  next: BugItem,
  now: string,
  change?: LoggedChange,
): Action[] {
  const bug = withLogTime(next, now);
  const key = bugKey(bug.id);
  const write: Action =
    read === undefined
      ? { put: { ...key, ...bug }, condition: ABSENT }
      : setAction(key, differingAttributes(read, bug), unchanged(read));
  return [write, ...logActions(read, bug, change)];
}

/** Whether a change puts a bug into a product, or changes its groups: what the group controls of the product decide. */
export const followsProduct = (before: BugItem | undefined, after: BugItem): boolean =>
  before === undefined ||
  before.product_id !== after.product_id ||
  !isDeepStrictEqual(before.groups, after.groups);

/**
 * The transaction actions that fail when one of the products has changed since it was read, one for each product.
 *
 * @param products undefined: nothing follows from the product
 */
export const unchangedProducts = (products: readonly (ReadProduct | undefined)[]): Action[] =>
  [
    ...new Map(
      products.flatMap((product) => (product === undefined ? [] : [[product.id, product]])),
    ).values(),
  ].map(unchangedProduct);

/**
 * Dates a change: with the bug as it is then, and the transaction actions that write it, its comments, its history, and
 * log it. The aliases are left to the caller.
 *
 * @param now `YYYY-MM-DDThh:mm:ssZ`; the change is not before what happened to the bug already
 * @param logsEvents whether the change log says what the change did
 */
export function dateChange(user: User, change: BugChange, now: string, logsEvents: boolean): BugWrite {
  const { before, after, history, record, attachments, comments, firstFlagId, privacy } = change;
  const times = [now, before?.last_change_time ?? now, before?.last_comment_time ?? now];
  const time = times.sort().at(-1) ?? now;
  const revision = before === undefined ? 0 : before.revision + 1;
  const pending = comments.map((one) => ({ ...one, bug_id: after.id, creator: user.login }));
  let flagId = firstFlagId;
  const finished = (flags: readonly FlagItem[]): FlagItem[] => {
    const first = flagId;
    flagId += countNewFlags(flags);
    return finishFlags(flags, first, time);
  };
  const created = new Set(attachments.filter((one) => one.before === undefined).map((one) => one.after.id));
  const added = addComments(after, pending, time, ({ attachment_id }) => ({
    ...(logsEvents ? { revision } : {}),
    ...(logsEvents && created.has(attachment_id ?? 0) ? { creates_attachment: true } : {}),
  }));
  const next: BugItem = {
    ...added.bug,
    flags: finished(after.flags),
    creation_time: before?.creation_time ?? time,
    revision,
    last_change_time: time,
    attachment_count: after.attachment_count + created.size,
  };
  const bug = withLogTime(next, now);
  const entry: HistoryItem = { bug_id: bug.id, when: time, who: user.login, changes: history };
  const logged: LoggedChange = {
    ...{ kind: before === undefined ? 'created' : 'changed', time, revision: bug.revision },
    ...(comments.length === 0 ? {} : { comments: [after.comment_count, comments.length] }),
  };
  const actions: Action[] = [
    ...putBugActions(before, bug, now, logsEvents ? logged : undefined),
    ...putHistoryActions(entry, bug.revision, logsEvents ? record : undefined),
    ...added.actions,
    ...attachments.flatMap(({ before: read, after: next }) =>
      putAttachmentActions(read, {
        ...next,
        creation_time: read?.creation_time ?? time,
        last_change_time: next.last_change_time || time,
        flags: finished(next.flags),
      }),
    ),
    ...privacy.map(
      ({ key, isPrivate }): Action => ({
        update: key,
        set: 'SET is_private = :private',
        condition: 'attribute_exists(pk)',
        values: { ':private': isPrivate },
      }),
    ),
  ];
  return { bug, comments: added.comments, actions };
}
