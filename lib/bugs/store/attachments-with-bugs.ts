import { isShown } from '../../attachments/permissions.ts';
import type { AttachmentRepository } from '../../attachments/repository.ts';
import type { AttachmentItem } from '../../attachments/schema.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../users/caller.ts';
import { isVisible } from '../permissions.ts';
import type { BugRepository } from './repository.ts';

/** Attachments by id, as far as they exist, ordered by id. */
export async function readReadable(
  ids: readonly number[],
  caller: Caller,
  isInsider: boolean,
  { attachments, bugs }: { attachments: AttachmentRepository; bugs: BugRepository },
): Promise<AttachmentItem[]> {
  const found = [...(await attachments.byIds(ids)).values()].sort((a, b) => a.id - b.id);
  const byId = await bugs.byIds([...new Set(found.map(({ bug_id }) => bug_id))]);
  for (const attachment of found) {
    const bug = byId.get(attachment.bug_id);
    if (bug === undefined || !isVisible(bug, caller)) throw errors.bugAccessDenied(String(attachment.bug_id));
    if (!isShown(attachment, caller, isInsider)) throw errors.attachmentHidden(String(attachment.id));
  }
  return found;
}
