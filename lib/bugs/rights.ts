import { errors } from '../errors.ts';
import { normalizeName } from '../text.ts';
import { type Caller, isInGroup } from '../users/caller.ts';
import { RIGHTS } from '../users/rights.ts';
import { isTimeField } from './fields.ts';
import { isCaller } from './permissions.ts';
import type { BugItem, FieldChange } from './schema.ts';
import { isOpenStatus } from './workflow.ts';

export const EDIT_BUGS = RIGHTS.editBugs.group;

/** What a reporter without further rights may not change. */
const NOT_FOR_REPORTERS: ReadonlySet<string> = new Set(['assigned_to', 'qa_contact', 'target_milestone']);
/** Looked at first, so that the error is Bugzilla's where a request changes several. */
const FIRST = ['dupe_of', 'status'];

/** Whether the caller may confirm bugs. */
export const mayConfirm = (caller: Caller): boolean =>
  isInGroup(caller, EDIT_BUGS) || isInGroup(caller, RIGHTS.canConfirm.group);

/**
 * Checks that the caller may make these changes of a bug.
 *
 * @param bug as it was read
 * @param isTimeTracker whether the caller may change time fields
 * @throws errors.changeDenied (401, 115), errors.statusChangeDenied (400, 123), errors.ccRemovalDenied (400, 32000)
 */
export function checkRights(
  bug: BugItem,
  changes: readonly FieldChange[],
  caller: Caller,
  isTimeTracker: boolean,
): void {
  const isClosed = changes.some(({ field_name, added }) => field_name === 'status' && !isOpenStatus(added));
  const first = changes.filter(({ field_name }) => FIRST.includes(field_name));
  const others = changes.filter(({ field_name }) => !FIRST.includes(field_name));
  for (const change of [...first, ...others]) {
    const { field_name } = change;
    if (isTimeField(field_name) || field_name === 'deadline') {
      // Closing a bug leaves nothing to be done: that follows from the status.
      if (!isTimeTracker && !(isClosed && field_name === 'remaining_time'))
        throw errors.changeDenied(field_name);
    } else if (!mayChange(bug, change, changes, caller)) {
      if (field_name === 'status' || field_name === 'is_confirmed')
        throw errors.statusChangeDenied(bug.status);
      if (field_name === 'cc') throw errors.ccRemovalDenied();
      throw errors.changeDenied(field_name);
    }
  }
}

function mayChange(
  bug: BugItem,
  { field_name, removed, added }: FieldChange,
  all: readonly FieldChange[],
  caller: Caller,
): boolean {
  if (isInGroup(caller, EDIT_BUGS)) return true;
  const isConfirming = all.some((change) => change.field_name === 'is_confirmed');
  if (field_name === 'is_confirmed' || (field_name === 'status' && isConfirming)) return mayConfirm(caller);
  if (isCaller(caller, bug.assigned_to) || isCaller(caller, bug.qa_contact)) return true;
  if (field_name === 'cc') {
    const login = normalizeName(caller.user?.login ?? '');
    return removed === '' || normalizeName(removed) === login;
  }
  if (!isCaller(caller, bug.reporter) || NOT_FOR_REPORTERS.has(field_name)) return false;
  return field_name !== 'status' || !isOpenStatus(removed) || !isOpenStatus(added);
}
