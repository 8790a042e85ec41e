import { bugItem } from '../../../lib/bugs/schema.ts';
import {
  type CommentItem,
  type CommentPointer,
  commentItem,
  commentPointerItem,
} from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, commentKey, commentPointerKey, keyOf } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** The id of every comment points to it, and every pointer to a comment with that id. */
export function commentsCheck(table: Table): Check {
  return {
    async scan(items) {
      const comments = items
        .filter(({ pk, sk }) => kindOf(pk) === 'BUG' && kindOf(sk) === 'COMMENT')
        .map((item) => commentItem.parse(item));
      const pointers = items.filter(({ pk, sk }) => kindOf(pk) === 'COMMENT' && sk === 'COMMENT');
      const all = await Promise.all([missingPointers(table, comments), strayPointers(table, pointers)]);
      return all.flat();
    },
  };
}

async function missingPointers(table: Table, comments: CommentItem[]): Promise<Finding[]> {
  const keys = comments.map(({ id }) => commentPointerKey(id));
  const found = await readBy(table, keys, commentPointerItem);
  return comments.flatMap((comment): Finding[] => {
    const { id, bug_id, creation_time, count } = comment;
    const key = commentPointerKey(id);
    const [item, expected] = [keyText(key), keyText(commentKey(comment))];
    const pointer = found.get(item);
    if (pointer === undefined) {
      const unchanged: Action = { check: commentKey(comment), condition: 'id = :id', values: { ':id': id } };
      const put: Action = { put: { ...key, bug_id, creation_time, count }, condition: ABSENT };
      return [{ item, violation: `is missing; the comment is at ${expected}`, repair: [put, unchanged] }];
    }
    const actual = keyText(commentKey(pointer));
    if (actual === expected) return [];
    return [{ item, violation: `points to ${actual}; a comment with this id is at ${expected}` }];
  });
}

async function strayPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.map((item) => ({ item, pointer: commentPointerItem.parse(item) }));
  const [comments, bugs] = await Promise.all([
    readBy(
      table,
      pointers.map(({ pointer }) => commentKey(pointer)),
      commentItem,
    ),
    readBy(
      table,
      pointers.map(({ pointer }) => bugKey(pointer.bug_id)),
      bugItem,
    ),
  ]);
  return pointers.flatMap(({ item, pointer }): Finding[] => {
    const id = comments.get(keyText(commentKey(pointer)))?.id;
    if (id !== undefined && commentPointerKey(id).pk === item.pk) return [];
    const isLost =
      id === undefined && pointer.count < (bugs.get(keyText(bugKey(pointer.bug_id)))?.comment_count ?? 0);
    const target = id === undefined ? 'does not exist' : `is comment ${id}`;
    const violation = `points to ${keyText(commentKey(pointer))}, which ${target}`;
    // The pointer of a lost comment is its only trace, and needed to restore it.
    return [{ item: keyText(item), violation, ...(isLost ? {} : { repair: removal(item, pointer, id) }) }];
  });
}

function removal(item: Item, pointer: CommentPointer, id: number | undefined): Action[] {
  const { bug_id, creation_time } = pointer;
  const unchanged: Action =
    id === undefined
      ? { check: commentKey(pointer), condition: ABSENT }
      : { check: commentKey(pointer), condition: 'id = :id', values: { ':id': id } };
  const remove: Action = {
    remove: keyOf(item),
    condition: 'bug_id = :bug AND creation_time = :time',
    values: { ':bug': bug_id, ':time': creation_time },
  };
  return [remove, unchanged];
}
