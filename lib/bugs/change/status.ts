import { errors } from '../../errors.ts';
import { mayConfirm } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { checkValue, findName } from '../validation.ts';
import { UNCONFIRMED } from '../workflow.ts';
import type { OwnUpdate } from './bug-update.ts';

const DUPLICATE = 'DUPLICATE';

type State = Pick<BugItem, 'status' | 'resolution' | 'dupe_of' | 'is_confirmed' | 'remaining_time'>;

/** The state of a new bug. functions/bugs/README.md 4.1 */
export function initialState(own: OwnUpdate): Pick<State, 'status' | 'is_confirmed'> {
  const { update, workflow, legal, hasComment, editor } = own;
  const { product } = own.product;
  const { status: given = '', resolution, dupe_of } = update;
  if (dupe_of !== undefined) throw errors.parameterInvalid('dupe_of', 'a new bug cannot be a duplicate');
  if (resolution !== undefined) {
    checkValue('resolution', legal.resolution, resolution);
    throw errors.resolutionNotAllowed();
  }
  const { names, initial } = workflow;
  const allowed = initial.filter(({ name }) => product.has_unconfirmed || name !== UNCONFIRMED);
  const unconfirmed = allowed.find(({ name }) => name === UNCONFIRMED);
  const confirmed = allowed.find(({ name }) => name !== UNCONFIRMED);
  const fallback = (mayConfirm(editor.caller, product) ? confirmed : unconfirmed) ?? allowed[0];
  const name = given === '' ? (fallback?.name ?? '') : (findName(names, given) ?? '');
  if (given !== '' && name === '') throw errors.valueUnknown('status', given, names);
  const chosen = allowed.find((one) => one.name === name);
  if (chosen === undefined) throw errors.statusNotForNewBugs(name);
  if (chosen.comment_required && !hasComment) throw errors.commentRequired('', name);
  return { status: name, is_confirmed: name !== UNCONFIRMED };
}

/**
 * The state of a bug after a change. Closing a bug leaves nothing to be done.
 *
 * @throws BugzillaError for a transition that the workflow does not have, or that needs a comment
 */
export function changedState(own: OwnUpdate): Omit<State, 'remaining_time'> & Partial<State> {
  const { bug, update, workflow, editor, hasComment } = own;
  const { has_unconfirmed } = own.product.product;
  const { isOpen } = workflow;
  const { dupe_of } = update;
  if (dupe_of?.trim() === '') throw errors.parameterMissing('dupe_of');
  const status =
    update.status === undefined ? undefined : checkValue('status', workflow.names, update.status);
  const wantsOpen = status !== undefined && isOpen(status);
  const resolution = readResolution(own, status);
  const isDuplicate =
    dupe_of !== undefined && !wantsOpen && (resolution === undefined || resolution === DUPLICATE);
  const closes = isDuplicate && bug.resolution !== DUPLICATE;
  const next = status ?? (closes ? workflow.duplicateStatus(editor.duplicateStatus) : bug.status);
  const allowed = workflow.next(bug.status).filter(({ name }) => has_unconfirmed || name !== UNCONFIRMED);
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
  const named = isDuplicate ? own.namedBug(dupe_of) : undefined;
  const original = reason === DUPLICATE ? (named ?? bug.dupe_of) : null;
  if (reason === DUPLICATE && original === null) throw errors.duplicateMissing();
  if (original === bug.id) throw errors.duplicateLoop(bug.id);
  const closed = { ...state, resolution: reason, dupe_of: original };
  return isOpen(bug.status) ? { ...closed, remaining_time: 0 } : closed;
}

/**
 * The resolution that a request gives. Beside an open status any is ignored, as in Bugzilla.
 *
 * @param status that the request gives
 */
function readResolution(
  { bug, update, legal, workflow: { isOpen } }: OwnUpdate,
  status: string | undefined,
): string | undefined {
  const given = update.resolution;
  if (given === undefined || (status !== undefined && isOpen(status))) return undefined;
  const staysOpen = update.dupe_of === undefined && isOpen(status ?? bug.status);
  const isEmpty = given.replace('---', '').trim() === '';
  return isEmpty && !staysOpen ? '' : checkValue('resolution', legal.resolution, given);
}
