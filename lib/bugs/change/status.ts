import { errors } from '../../errors.ts';
import { findName } from '../find-name.ts';
import type { BugItem } from '../schema.ts';
import { UNCONFIRMED, type Workflow } from '../workflow.ts';

const DUPLICATE = 'DUPLICATE';

/**
 * The status of a new bug. functions/bugs/README.md 4.1
 *
 * @param given '': none
 * @param mayConfirm whether the caller may choose another one than UNCONFIRMED
 */
export function initialStatus(
  given: string,
  { has_unconfirmed }: { has_unconfirmed: boolean },
  { mayConfirm, hasComment }: { mayConfirm: boolean; hasComment: boolean },
  { names, initial }: Workflow,
): string {
  const allowed = initial.filter(({ name }) => has_unconfirmed || name !== UNCONFIRMED);
  const unconfirmed = allowed.find(({ name }) => name === UNCONFIRMED);
  const confirmed = allowed.find(({ name }) => name !== UNCONFIRMED);
  const fallback = (mayConfirm ? confirmed : unconfirmed) ?? allowed[0];
  const name = given === '' ? (fallback?.name ?? '') : (findName(names, given) ?? '');
  if (given !== '' && name === '') throw errors.valueUnknown('status', given, names);
  const chosen = allowed.find((one) => one.name === name);
  if (chosen === undefined) throw errors.statusNotForNewBugs(name);
  if (chosen.comment_required && !hasComment) throw errors.commentRequired('', name);
  return name;
}

type BugState = Pick<BugItem, 'status' | 'resolution' | 'dupe_of' | 'is_confirmed'>;

/** What a request changes of the state of a bug, in the spelling of the legal values; undefined: unchanged. */
export interface StateUpdate {
  status: string | undefined;
  resolution: string | undefined;
  dupeOf: number | undefined;
  /** whether the request adds a comment */
  hasComment: boolean;
  /** the status of a bug that becomes a duplicate */
  duplicateStatus: string;
}

/**
 * The state of a bug after a change.
 *
 * @param hasUnconfirmed whether bugs of the product may be unconfirmed
 * @throws BugzillaError for a transition that the workflow does not have, or that needs a comment
 */
export function changeState(
  bug: BugState,
  { status, resolution, dupeOf, hasComment, duplicateStatus }: StateUpdate,
  hasUnconfirmed: boolean,
  workflow: Workflow,
): BugState {
  const { isOpen } = workflow;
  const wantsOpen = status !== undefined && isOpen(status);
  const isDuplicate =
    dupeOf !== undefined && !wantsOpen && (resolution === undefined || resolution === DUPLICATE);
  const closes = isDuplicate && bug.resolution !== DUPLICATE;
  const next = status ?? (closes ? duplicateStatus : bug.status);
  const allowed = workflow.next(bug.status).filter(({ name }) => hasUnconfirmed || name !== UNCONFIRMED);
  const chosen = allowed.find(({ name }) => name === next);
  if (next !== bug.status && chosen === undefined) {
    const names = allowed.map(({ name }) => name);
    throw errors.statusChangeDenied(bug.status, next, names);
  }
  if (chosen?.comment_required === true && !hasComment) throw errors.commentRequired(bug.status, next);
  const isConfirmed = next === bug.status || !isOpen(next) ? bug.is_confirmed : next !== UNCONFIRMED;
  const state = { status: next, is_confirmed: isConfirmed };
  if (isOpen(next)) {
    if (!wantsOpen && resolution !== undefined && resolution !== '') throw errors.resolutionNotAllowed();
    return { ...state, resolution: '', dupe_of: null };
  }
  const reason = isDuplicate ? DUPLICATE : (resolution ?? bug.resolution);
  if (reason === '') throw errors.resolutionMissing();
  const original = reason === DUPLICATE ? ((isDuplicate ? dupeOf : undefined) ?? bug.dupe_of) : null;
  if (reason === DUPLICATE && original === null) throw errors.duplicateMissing();
  return { ...state, resolution: reason, dupe_of: original };
}
