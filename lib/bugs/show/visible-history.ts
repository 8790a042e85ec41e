import type { AttachmentItem } from '../attachments/schema.ts';
import { audienceOf, type BugFields } from '../fields/registry.ts';
import type { FieldChange, HistoryItem } from '../schema.ts';

/** All of a history, the oldest first. */
export const WHOLE_HISTORY = { since: undefined, before: undefined, limit: undefined, isNewest: false };

/** Who reads a history. */
export interface HistoryViewer {
  isTimeTracker: boolean;
  isInsider: boolean;
}

/**
 * The history of a bug without what the viewer may not see: changes of hours, of the privacy of comments, and of private
 * attachments.
 *
 * @param readAttachments those of the bug; called where the history names some, for others than insiders
 */
export async function visibleHistory(
  history: readonly HistoryItem[],
  { isTimeTracker, isInsider }: HistoryViewer,
  fields: BugFields,
  readAttachments: () => Promise<readonly AttachmentItem[]>,
): Promise<HistoryItem[]> {
  const isNamed = history.some(({ changes }) => changes.some((one) => one.attachment_id !== undefined));
  const attachments = isNamed && !isInsider ? await readAttachments() : [];
  const hidden = new Set(attachments.filter(({ is_private }) => is_private).map(({ id }) => id));
  const isReadable = ({ field_name, attachment_id }: FieldChange) => {
    if (attachment_id !== undefined && hidden.has(attachment_id)) return false;
    const audience = audienceOf(field_name, fields);
    return audience === 'everyone' || (audience === 'insiders' ? isInsider : isTimeTracker);
  };
  return history.flatMap((entry) => {
    const changes = entry.changes.filter(isReadable);
    return changes.length === 0 ? [] : [{ ...entry, changes }];
  });
}

/**
 * The first visible entries of a history, page by page, until there are enough: those of the second of the last one are added,
 * so that the next part begins before that second.
 *
 * @param limit undefined: all
 * @param visible the entries of a page that the caller sees
 */
export async function historyPart(
  pages: AsyncIterable<HistoryItem[]>,
  limit: number | undefined,
  visible: (page: HistoryItem[]) => Promise<HistoryItem[]>,
): Promise<HistoryItem[]> {
  const entries: HistoryItem[] = [];
  for await (const page of pages) {
    for (const entry of await visible(page)) {
      const last = entries.at(-1);
      if (limit !== undefined && entries.length >= limit && entry.when !== last?.when) return entries;
      entries.push(entry);
    }
  }
  return entries;
}
