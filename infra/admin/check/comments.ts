import { bugItem } from '../../../lib/bugs/schema.ts';
import {
  type CommentItem,
  type CommentPointer,
  commentItem,
  commentPointerItem,
} from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, commentKey, commentPointerKey, type Key } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

const keyOf = ({ bug_id, creation_time, count }: CommentPointer): Key =>
  commentKey(bug_id, creation_time, count);

/** Every comment is found by its id, and every id leads to its comment. */
export function commentsCheck(table: Table): Check {
  return {
    async next(items) {
      const comments = items
        .filter(({ pk, sk }) => kindOf(pk) === 'BUG' && kindOf(sk) === 'COMMENT')
        .map((item) => commentItem.parse(item));
      const pointers = items.filter(({ pk, sk }) => kindOf(pk) === 'COMMENT' && sk === 'COMMENT');
      const all = await Promise.all([notFoundById(table, comments), leadingNowhere(table, pointers)]);
      return all.flat();
    },
  };
}

async function notFoundById(table: Table, comments: CommentItem[]): Promise<Finding[]> {
  const keys = comments.map(({ id }) => commentPointerKey(id));
  const places = await readBy(table, keys, commentPointerItem);
  return comments.flatMap((comment): Finding[] => {
    const { id, bug_id, creation_time, count } = comment;
    const key = commentPointerKey(id);
    const [item, here] = [keyText(key), keyText(keyOf(comment))];
    const place = places.get(item);
    if (place === undefined) {
      const still: Action = { check: keyOf(comment), condition: 'id = :id', values: { ':id': id } };
      const put: Action = { put: { ...key, bug_id, creation_time, count }, condition: ABSENT };
      return [{ item, wrong: `the comment is at ${here}, its id leads nowhere`, repair: [put, still] }];
    }
    const there = keyText(keyOf(place));
    if (there === here) return [];
    return [{ item, wrong: `it leads to ${there}; there is a comment of this id at ${here}` }];
  });
}

async function leadingNowhere(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.map((item) => ({ item, place: commentPointerItem.parse(item) }));
  const [comments, bugs] = await Promise.all([
    readBy(
      table,
      pointers.map(({ place }) => keyOf(place)),
      commentItem,
    ),
    readBy(
      table,
      pointers.map(({ place }) => bugKey(place.bug_id)),
      bugItem,
    ),
  ]);
  return pointers.flatMap(({ item, place }): Finding[] => {
    const id = comments.get(keyText(keyOf(place)))?.id;
    if (id !== undefined && commentPointerKey(id).pk === item['pk']) return [];
    const isLost =
      id === undefined && place.count < (bugs.get(keyText(bugKey(place.bug_id)))?.comment_count ?? 0);
    const wrong = `it leads to ${keyText(keyOf(place))}, where ${id === undefined ? 'nothing is' : `comment ${id} is`}`;
    // The only trace of a comment that was there: to be kept for whoever restores it.
    return [{ item: keyText(item), wrong, ...(isLost ? {} : { repair: removal(item, place, id) }) }];
  });
}

function removal(item: Item, place: CommentPointer, id: number | undefined): Action[] {
  const { bug_id, creation_time } = place;
  const still: Action =
    id === undefined
      ? { check: keyOf(place), condition: ABSENT }
      : { check: keyOf(place), condition: 'id = :id', values: { ':id': id } };
  const pointer: Action = {
    remove: { pk: String(item['pk']), sk: String(item['sk']) },
    condition: 'bug_id = :bug AND creation_time = :time',
    values: { ':bug': bug_id, ':time': creation_time },
  };
  return [pointer, still];
}
