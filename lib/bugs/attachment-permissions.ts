import type { AttachmentItem } from '../attachments/schema.ts';
import type { Caller } from '../users/caller.ts';
import { isCaller } from './permissions.ts';

/** Whether a caller who sees the bug sees an attachment: private ones are for insiders and their creator. */
export const isShown = (
  { is_private, creator }: Pick<AttachmentItem, 'is_private' | 'creator'>,
  caller: Caller,
  isInsider: boolean,
): boolean => !is_private || isInsider || isCaller(caller, creator);
