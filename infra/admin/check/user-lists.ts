import { type Key, keyText } from '../../../lib/table/keys.ts';
import { ABSENT, type Action } from '../../../lib/table/write.ts';
import type { ItemKind } from './item-kinds.ts';
import { references } from './reference-check.ts';

/** What users have, each in an item of one's own, and the items that list the users of each. */
interface UserListRow<T, E> {
  ownKey(user_id: number): Key;
  entriesOf(own: T): E[];
  listKey(entry: E): Key;
  /** what a new list has beside the users */
  listContent(entry: E): object;
  /** the violation where a list lacks a user */
  missing(entry: E): string;
  /** the violation where it has one too many, after the user */
  stray: string;
}

/** @returns the check that users are in their lists, and the check that lists have no others */
export function userLists<T extends { user_id: number }, L extends UserList, E>(
  own: ItemKind<T>,
  list: ItemKind<L>,
  row: UserListRow<NoInfer<T>, E>,
) {
  return [
    references({
      from: own,
      to: list,
      references: (content) => row.entriesOf(content).map((one) => ({ key: row.listKey(one), content: one })),
      problems({ key: check, content }, { key, content: entry }, found) {
        if (found?.user_ids.includes(content.user_id) === true) return [];
        const add = setUserIds(key, found, row.listContent(entry), (ids) => [...ids, content.user_id]);
        return [{ violation: row.missing(entry), repair: [add, { check, ...own.unchanged(content) }] }];
      },
    }),
    references({
      from: list,
      to: own,
      references: ({ user_ids }) => user_ids.map((id) => ({ key: row.ownKey(id), content: id })),
      problems({ key, content }, { key: check, content: user }, found) {
        const listed =
          found === undefined ? [] : row.entriesOf(found).map((one) => keyText(row.listKey(one)));
        if (listed.includes(keyText(key))) return [];
        const remove = setUserIds(key, content, {}, (ids) => ids.filter((id) => id !== user));
        const violation = `lists the user ${user}, ${row.stray}`;
        return [{ violation, repair: [remove, { check, ...own.unchanged(found) }] }];
      },
    }),
  ];
}

interface UserList {
  user_ids: readonly number[];
  revision: number;
}

/** Writes a list where it is as it was read. @param content of a new list, beside the users */
function setUserIds(
  key: Key,
  found: UserList | undefined,
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
