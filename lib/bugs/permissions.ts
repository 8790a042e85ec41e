import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type Caller, isCaller, isInGroup } from '../people/caller.ts';
import { hasRight, mayEditBugs } from '../products/permissions.ts';
import type { ProductIndexEntry, ProductItem } from '../products/schema.ts';
import type { BugFields } from './fields/registry.ts';
import type { BugItem, FieldChange } from './schema.ts';
import type { Workflow } from './workflow.ts';

/** Who changes bugs, with the rights that settings decide. */
export interface Editor {
  caller: Caller;
  isTimeTracker: boolean;
  isInsider: boolean;
  isTagger: boolean;
  /** the name of the group that sees private comments and attachments; '' where there is none */
  insiderGroup: string;
  /** the status of bugs that become duplicates, where the workflow has it */
  duplicateStatus: string;
  /** address of this deployment, as `https://bugs.example.org/` */
  base: string;
}

/** What decides who sees a bug. */
export type Restricted = Pick<
  BugItem,
  'groups' | 'reporter' | 'assigned_to' | 'qa_contact' | 'cc' | 'is_creator_accessible' | 'is_cc_accessible'
>;

/**
 * Whether the caller may see a bug: in all of its groups, or one of the users who take part in it; the reporter and
 * those on CC only as far as the bug allows.
 */
export function isVisible(bug: Restricted, caller: Caller): boolean {
  if (bug.groups.every((group) => isInGroup(caller, group))) return true;
  const users = [
    bug.assigned_to,
    bug.qa_contact,
    ...(bug.is_creator_accessible ? [bug.reporter] : []),
    ...(bug.is_cc_accessible ? bug.cc : []),
  ];
  return users.some((user) => isCaller(caller, user));
}

/** Why the caller may not change the bugs of a product at all, (401, 109); undefined: nothing bars it. */
export function productBarrier(
  product: Pick<ProductIndexEntry, 'name' | 'group_controls'> | undefined,
  id: number,
  caller: Caller,
): Error | undefined {
  if (product !== undefined && mayEditBugs(product, caller)) return undefined;
  return errors.productNotEditable(product?.name ?? String(id));
}

/**
 * A bug that was looked up, if the caller may see it.
 *
 * @param given as the client named it
 * @param id result of BugRepository.idOf
 */
export function requireVisible(
  given: string,
  id: number | undefined,
  bug: BugItem | undefined,
  caller: Caller,
): BugItem {
  if (id === undefined) throw errors.bugAliasUnknown(given);
  if (bug === undefined) throw errors.bugUnknown(given);
  if (!isVisible(bug, caller)) throw errors.bugAccessDenied(given);
  return bug;
}

/** Looked at first, so that the error is Bugzilla's where a request changes several. */
const FIRST = ['dupe_of', 'status'];

/** The product that decides: that of the bug, or the one that it moves to. */
type Controlled = Pick<ProductItem, 'group_controls'> | undefined;

/** Whether the caller may confirm bugs of a product. */
export const mayConfirm = (caller: Caller, product: Controlled): boolean =>
  hasRight(caller, 'editbugs', product) || hasRight(caller, 'canconfirm', product);

/** Whose rights a change of a bug takes. */
interface ChangeRights {
  editor: Pick<Editor, 'caller' | 'isTimeTracker'>;
  fields: BugFields;
  workflow: Workflow;
  /** of the bug before the change; undefined: it is not known */
  home: Controlled;
  /** of the bug after it */
  target: Controlled;
}

/**
 * Checks that the caller may make these changes of a bug, as Bugzilla does:
 *
 * | who                                       | may change                                                     |
 * |-------------------------------------------|----------------------------------------------------------------|
 * | in `editbugs`, of all products or this one | everything, but for hours and deadline                         |
 * | time tracker                              | hours and deadline, beside another right to change the bug      |
 * | in `canconfirm`, of all products or this one | from unconfirmed to confirmed, alone                         |
 * | assignee, QA contact                      | everything but confirmation, hours and deadline                |
 * | reporter                                  | also not: assignee, QA contact, milestone, open status to another open one |
 * | everybody who sees the bug                | comments, flags, the own place on CC, others onto CC; groups as their controls allow |
 *
 * In a bug that moves, the product that it leaves decides who may move it, the other one who may change the rest. `canedit` of a
 * product shuts all others out (`productBarrier`). Bugzilla's `letsubmitterchoosepriority` is always on here,
 * `strict_isolation` and `usevisibilitygroups` always off.
 *
 * @param bug as it was read
 */
export function checkRights(bug: BugItem, changes: readonly FieldChange[], rights: ChangeRights): void {
  const { isOpen } = rights.workflow;
  const isClosed = changes.some(({ field_name, added }) => field_name === 'status' && !isOpen(added));
  const first = changes.filter(({ field_name }) => FIRST.includes(field_name));
  const others = changes.filter(({ field_name }) => !FIRST.includes(field_name));
  for (const change of [...first, ...others]) {
    const { field_name } = change;
    // Closing a bug leaves nothing to be done: that follows from the status.
    if (isClosed && field_name === 'remaining_time') continue;
    if (mayMakeChange(bug, change, changes, rights)) continue;
    if (field_name === 'status' || field_name === 'is_confirmed') throw errors.statusChangeDenied(bug.status);
    if (field_name === 'cc') throw errors.ccRemovalDenied();
    throw errors.changeDenied(field_name);
  }
}

/** Whether the caller may change a field of a bug, whatever the values are. */
export function mayChange(
  bug: BugItem,
  name: string,
  { caller, isTimeTracker }: Pick<Editor, 'caller' | 'isTimeTracker'>,
  fields: BugFields,
  product: Controlled,
): boolean {
  const { updated = 'reporter' } = fields.shownAs(name) ?? {};
  if (updated === 'timetrackers') return isTimeTracker;
  const participates = isCaller(caller, bug.assigned_to) || isCaller(caller, bug.qa_contact);
  return (
    hasRight(caller, 'editbugs', product) ||
    participates ||
    (updated === 'reporter' && isCaller(caller, bug.reporter))
  );
}

function mayMakeChange(
  bug: BugItem,
  { field_name, removed, added }: FieldChange,
  changes: readonly FieldChange[],
  { editor, fields, workflow: { isOpen }, home, target }: ChangeRights,
): boolean {
  const { caller } = editor;
  // Group controls have decided.
  if (field_name === 'groups') return true;
  const product = field_name === 'product' ? home : target;
  const isConfirming = changes.some((change) => change.field_name === 'is_confirmed');
  if (field_name === 'is_confirmed' || (field_name === 'status' && isConfirming)) {
    return mayConfirm(caller, product);
  }
  const isPrivileged = mayChange(bug, field_name, editor, fields, product);
  const isReporterOnly = isPrivileged && !mayChange(bug, 'assigned_to', editor, fields, product);
  if (field_name === 'cc' && (isReporterOnly || !isPrivileged)) {
    const login = normalizeName(caller.user?.login ?? '');
    return removed === '' || normalizeName(removed) === login;
  }
  if (field_name === 'status' && isReporterOnly) return !isOpen(removed) || !isOpen(added);
  return isPrivileged;
}
