import { distinctById, mapConcurrent } from '../../base/collections.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';
import { BOUNDED_CONCURRENCY } from '../../table/consumption.ts';
import { isAttachmentShown } from '../attachments/presenter.ts';
import type { AttachmentRepository } from '../attachments/repository.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import { isVisible } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import type { BugRepository } from './repository.ts';

/** Reads attachments by id, each with its bug, as far as they exist, in two sequential reads. */
export async function attachmentsWithBugs(
  ids: readonly number[],
  { attachments, bugs }: { attachments: AttachmentRepository; bugs: BugRepository },
) {
  const pointers = await attachments.pointers(ids);
  const bugIds = [...new Set(pointers.map(({ bug_id }) => bug_id))];
  const [found, byId] = await Promise.all([attachments.byPointers(pointers), bugs.byIds(bugIds)]);
  return { found, bugs: byId };
}

/** The attachments, ordered by id, if the caller may read all of them. */
export function requireReadableAttachments(
  { found, bugs }: Awaited<ReturnType<typeof attachmentsWithBugs>>,
  caller: Caller,
  isInsider: boolean,
): AttachmentItem[] {
  const ordered = [...found.values()].sort((a, b) => a.id - b.id);
  for (const attachment of ordered) {
    const bug = bugs.get(attachment.bug_id);
    if (bug === undefined || !isVisible(bug, caller)) throw errors.bugAccessDenied(String(attachment.bug_id));
    if (!isAttachmentShown(attachment, caller, isInsider))
      throw errors.attachmentHidden(String(attachment.id));
  }
  return ordered;
}

/** The attachments that the caller sees, by bug; the list of each bug is read once. */
export async function shownAttachments(
  bugs: readonly BugItem[],
  caller: Caller,
  isInsider: boolean,
  { attachments }: { attachments: AttachmentRepository },
): Promise<Map<number, AttachmentItem[]>> {
  const having = distinctById(bugs).filter((bug) => bug.attachment_count > 0);
  const lists = await mapConcurrent(
    having,
    async ({ id }) =>
      (await attachments.ofBug(id)).filter((one) => isAttachmentShown(one, caller, isInsider)),
    BOUNDED_CONCURRENCY,
  );
  return new Map(having.map(({ id }, index) => [id, lists[index] ?? []]));
}
