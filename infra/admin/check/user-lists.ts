import type { Key } from '../../../lib/table/keys.ts';
import { ABSENT, type Action } from '../../../lib/table/write.ts';

/**
 * Writes which users belong to something, such as those who watch it, where that is as it was read.
 *
 * @param found undefined: there is no item yet
 * @param content of a new item, beside the users
 */
export function setUserIds(
  key: Key,
  found: { user_ids: readonly number[]; revision: number } | undefined,
  content: object,
  change: (user_ids: readonly number[]) => number[],
): Action {
  if (found === undefined) {
    return { put: { ...key, ...content, user_ids: change([]), revision: 1 }, condition: ABSENT };
  }
  return {
    update: key,
    set: 'SET user_ids = :ids, revision = :next',
    condition: 'revision = :read',
    values: { ':ids': change(found.user_ids), ':next': found.revision + 1, ':read': found.revision },
  };
}
