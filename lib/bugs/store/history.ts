import { portions } from '../../base/collections.ts';
import type { ListPart } from '../../base/list-part.ts';
import { sizeOf } from '../../table/consumption.ts';
import { historyKey } from '../../table/keys.ts';
import type { Action } from '../../table/write.ts';
import { attributesOf, type ChangeRecord } from '../changes.ts';
import type { HistoryItem } from '../schema.ts';

/** Which changes of a bug are read; times are `YYYY-MM-DDThh:mm:ssZ`. */
export interface HistoryPart extends ListPart {
  /** only later ones */
  since: string | undefined;
  /** only earlier ones */
  before: string | undefined;
}

/**
 * The transaction action that adds to the history of a bug.
 *
 * @param revision of the bug after the change
 * @param count of the comment that is the change: comments leave the revision as it is
 */
export const putHistoryAction = (entry: HistoryItem, revision: number, count?: number): Action => ({
  put: { ...historyKey(entry.bug_id, entry.when, revision, count), ...entry },
});

/** Bytes of an entry: DynamoDB allows 400 KB for an item. */
const MAX_ENTRY_BYTES = 300_000;
/** Divided entries are told apart by a count, which is none of a comment. */
const FIRST_DIVISION = 1_000_000_000;

/** Whether a history entry at a position is a change of the bug, not the hours of a comment. */
export const isOfBug = ({ count }: { count: number | undefined }): boolean =>
  count === undefined || count >= FIRST_DIVISION;

/**
 * The same for an entry of any size: a large one is divided into several of the same time.
 *
 * @param record of the change, kept with the first; undefined: the table has no stream, or it becomes no events
 */
export function putHistoryActions(entry: HistoryItem, revision: number, record?: ChangeRecord): Action[] {
  const divided = [...portions(entry.changes, { max: MAX_ENTRY_BYTES, sizeOf })];
  return divided.map((changes, index) =>
    index === 0
      ? putHistoryAction({ ...entry, ...(record && attributesOf(record)), changes }, revision)
      : putHistoryAction({ ...entry, changes }, revision, FIRST_DIVISION + index),
  );
}
