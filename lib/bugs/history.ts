import { historyKey } from '../dynamodb/keys.ts';
import type { Action } from '../dynamodb/write.ts';
import type { FieldChange, HistoryItem } from './schema.ts';

/**
 * The transaction action that adds to the history of a bug.
 *
 * @param revision of the bug after the change
 * @param count of the comment that is the change: comments leave the revision as it is
 */
export const putHistoryAction = (entry: HistoryItem, revision: number, count?: number): Action => ({
  put: { ...historyKey(entry.bug_id, entry.when, revision, count), ...entry },
});

/** Hours in the format of the history. */
export const hoursText = (hours: number): string => hours.toFixed(2);

/** A change of hours as the history has it: with one decimal where a second is not needed. */
export function shortHours({ field_name, removed, added }: FieldChange): FieldChange {
  const short = (text: string) => text.replace(/0$/, '');
  return { field_name, removed: short(removed), added: short(added) };
}

/** What the history records of hours that came with a comment. */
export const workTimeChange = (hours: number): FieldChange =>
  shortHours({ field_name: 'work_time', removed: '', added: hoursText(hours) });
