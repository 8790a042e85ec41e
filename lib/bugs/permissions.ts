import { errors } from '../errors.ts';
import { mayEditBugs } from '../products/permissions.ts';
import type { ProductItem } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { type Caller, isInGroup } from '../users/caller.ts';
import type { BugItem } from './schema.ts';

type Restricted = Pick<
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
  product: Pick<ProductItem, 'name' | 'group_controls'> | undefined,
  id: number,
  caller: Caller,
): Error | undefined {
  if (product !== undefined && mayEditBugs(product, caller)) return undefined;
  return errors.productNotEditable(product?.name ?? String(id));
}

/** Whether a login is the caller's. */
export function isCaller({ user }: Caller, login: string): boolean {
  return user !== undefined && normalizeName(user.login) === normalizeName(login);
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
