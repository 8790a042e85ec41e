import { type BugRepository, requireVisible } from '../bugs/repository.ts';
import type { BugItem } from '../bugs/schema.ts';
import { BugzillaError, errors } from '../errors.ts';
import { mayEditBugs } from '../products/permissions.ts';
import type { ProductRepository } from '../products/repository.ts';
import type { Settings } from '../settings.ts';
import { type Caller, isInGroup, requireUser } from '../users/caller.ts';
import type { CommentRepository, NewComment } from './repository.ts';
import { checkLength, normalizeText, parseWorkTime } from './validation.ts';

/** A comment as a client sends it. */
export interface GivenComment {
  text: string;
  isPrivate: boolean;
  /** only looked at for callers in the time-tracking group; throws when it cannot be read as a text */
  workTime(): string;
}

interface Services {
  bugs: BugRepository;
  comments: CommentRepository;
  products: ProductRepository;
  settings: Settings;
}

/** A comment that may be added to a bug. */
export interface CheckedComment {
  bug: BugItem;
  comment: NewComment;
}

/**
 * Checks a comment for a bug, before it is added to it. The order of the checks is Bugzilla's. SPEC.md 4.6,
 * REFERENCE.md 5.
 *
 * @param bugName id or alias, as the client gave it
 * @param asking who calls; found out while the bug is read
 * @param read what the client sent; called when it is known that a user asks
 * @throws errors of 410 for anonymous callers, 50 without text, 100 to 102 for the bug, 109 for its product,
 * 114 for too long a text, 113 for a private one, 52, 54 and 55 for the work time
 */
export async function checkComment(
  { bugs, comments, products, settings }: Services,
  bugName: string,
  asking: Promise<Caller>,
  read: () => GivenComment,
): Promise<CheckedComment> {
  const bugId = await bugs.idOf(bugName);
  const [caller, found] = await Promise.all([asking, bugId === undefined ? undefined : bugs.byId(bugId)]);
  const { login } = requireUser(caller);
  const given = read();
  const text = normalizeText(given.text);
  if (text === '') throw errors.commentMissing();
  const bug = requireVisible(bugName, bugId, found, caller);

  // What is wrong with the comment itself is said after what the product forbids; but known before, so that
  // the id can be taken while the product is read.
  const details = detailsOf(text, given, caller, settings);
  const [[product], id] = await Promise.all([
    products.products([bug.product_id]),
    details instanceof BugzillaError ? 0 : comments.allocateId(),
  ]);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(bug.product_id));
  }
  if (details instanceof BugzillaError) throw details;
  return { bug, comment: { id, creator: login, text, ...details } };
}

type Details = Pick<NewComment, 'isPrivate' | 'workTime'>;

/** @returns the first error that there is, or else what the comment carries beside its text */
function detailsOf(
  text: string,
  { isPrivate, workTime }: GivenComment,
  caller: Caller,
  settings: Settings,
): Details | BugzillaError {
  try {
    checkLength(text);
    if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
    const isTracked = isInGroup(caller, settings.TIMETRACKING_GROUP);
    return { isPrivate, workTime: isTracked ? parseWorkTime(workTime()) : 0 };
  } catch (error) {
    if (error instanceof BugzillaError) return error;
    throw error;
  }
}
