import { type Caller, isCaller } from '../../people/caller.ts';
import { hasRight } from '../../products/permissions.ts';
import type { FlagTypeItem, ProductItem } from '../../products/schema.ts';
import { isConcerned, isNamed } from '../flags/permissions.ts';
import type { GivenFlag } from '../flags/requests.ts';
import type { FlagItem } from '../flags/schema.ts';
import type { AttachmentItem } from './schema.ts';

/** Whether a caller who sees the bug sees an attachment: private ones are for insiders and their creator. */
export const isAttachmentShown = (
  { is_private, creator }: Pick<AttachmentItem, 'is_private' | 'creator'>,
  caller: Caller,
  isInsider: boolean,
): boolean => !is_private || isInsider || isCaller(caller, creator);

/**
 * Whether the caller may make an update of an attachment: its creator and who has `editbugs` change it; who set or was
 * asked for a flag changes that alone.
 *
 * @param isFlagsOnly whether the update has nothing but flags
 * @param flags that the attachment shows
 */
export function mayChange(
  { creator }: Pick<AttachmentItem, 'creator'>,
  { isFlagsOnly, given }: { isFlagsOnly: boolean; given: readonly GivenFlag[] },
  flags: readonly FlagItem[],
  types: readonly FlagTypeItem[],
  caller: Caller,
  product: Pick<ProductItem, 'group_controls'> | undefined,
): boolean {
  if (hasRight(caller, 'editbugs', product) || isCaller(caller, creator)) return true;
  const concerns = (one: GivenFlag) =>
    flags.some((flag) => isNamed(one, flag, types) && isConcerned(flag, caller));
  return isFlagsOnly && given.length > 0 && given.every((one) => one.new !== true && concerns(one));
}
