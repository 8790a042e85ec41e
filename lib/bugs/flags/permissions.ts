import { type Caller, callerOf, isCaller } from '../../people/caller.ts';
import type { UserItem } from '../../people/schema.ts';
import { type FlagTypeItem, maySet } from '../../products/schema.ts';
import type { GivenFlag } from './requests.ts';
import type { FlagItem } from './schema.ts';

/**
 * Whether a user may be the requestee of a flag: the user is not disabled, sees the bug or attachment of the flag, and
 * may grant the flag.
 *
 * @param maySee whether a caller sees the bug, and the attachment
 */
export function mayBeAsked(
  user: UserItem,
  type: FlagTypeItem | undefined,
  maySee: (requestee: Caller) => boolean,
): boolean {
  const requestee = callerOf(user);
  return user.disabled === undefined && maySee(requestee) && maySet(type, '+', requestee);
}

/** Whether the caller has set a flag, or is asked for it. */
export const isConcerned = ({ setter, requestee }: FlagItem, caller: Caller): boolean =>
  isCaller(caller, setter) || isCaller(caller, requestee ?? '');

/** Whether a request names a flag: by its id, else by that of its type, else by its name. */
export function isNamed(
  { id, type_id, name }: GivenFlag,
  flag: FlagItem,
  types: readonly FlagTypeItem[],
): boolean {
  if (id !== undefined) return String(flag.id) === id.trim();
  if (type_id !== undefined) return String(flag.type_id) === type_id.trim();
  return types.some((type) => type.id === flag.type_id && type.name === name);
}
