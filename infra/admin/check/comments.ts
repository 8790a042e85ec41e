import { type CommentItem, commentItem, commentPointerItem } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/db/client.ts';
import { commentKey, commentPointerKey } from '../../../lib/db/keys.ts';
import type { Item } from '../../../lib/db/reading.ts';
import { ABSENT, type Action } from '../../../lib/db/writing.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readSound } from './item-kinds.ts';

const placeOf = ({ bug_id, creation_time, count }: Pick<CommentItem, 'bug_id' | 'creation_time' | 'count'>) =>
  commentKey(bug_id, creation_time, count);

/** Every comment is found by its id, and every id leads to its comment. */
export function commentsCheck(table: Table): Check {
  return {
    async next(items) {
      const comments = items
        .filter(({ pk, sk }) => kindOf(pk) === 'BUG' && kindOf(sk) === 'COMMENT')
        .map((item) => commentItem.parse(item));
      const pointers = items.filter(({ pk, sk }) => kindOf(pk) === 'COMMENT' && sk === 'COMMENT');
      const [lost, stray] = await Promise.all([
        notFoundById(table, comments),
        leadingNowhere(table, pointers),
      ]);
      return [...lost, ...stray];
    },
    end: async () => [],
  };
}

async function notFoundById(table: Table, comments: CommentItem[]): Promise<Finding[]> {
  const items = await readSound(
    table,
    comments.map(({ id }) => commentPointerKey(id)),
  );
  const pointers = new Map(items.map((item) => [item['pk'], placeOf(commentPointerItem.parse(item))]));
  return comments.flatMap((comment): Finding[] => {
    const key = commentPointerKey(comment.id);
    const place = pointers.get(key.pk);
    const item = keyText(key);
    if (place === undefined) {
      const { id, bug_id, creation_time, count } = comment;
      const still: Action = { check: placeOf(comment), condition: 'id = :id', values: { ':id': id } };
      const repair: Action[] = [{ put: { ...key, bug_id, creation_time, count }, condition: ABSENT }, still];
      return [
        { item, wrong: `the comment is at ${keyText(placeOf(comment))}, its id leads nowhere`, repair },
      ];
    }
    const isRight = keyText(place) === keyText(placeOf(comment));
    const wrong = `it leads to ${keyText(place)}; there is a comment of this id at ${keyText(placeOf(comment))}`;
    return isRight ? [] : [{ item, wrong }];
  });
}

async function leadingNowhere(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.map((item) => ({ item, place: placeOf(commentPointerItem.parse(item)) }));
  const read = await readSound(
    table,
    pointers.map(({ place }) => place),
  );
  const idAt = new Map(read.map((item) => [keyText(item), commentItem.parse(item).id]));
  return pointers.flatMap(({ item, place }): Finding[] => {
    const id = idAt.get(keyText(place));
    const key = { pk: String(item['pk']), sk: String(item['sk']) };
    if (id !== undefined && commentPointerKey(id).pk === key.pk) return [];
    const wrong = `it leads to ${keyText(place)}, where ${id === undefined ? 'nothing is' : `comment ${id} is`}`;
    const still: Action =
      id === undefined
        ? { check: place, condition: ABSENT }
        : { check: place, condition: 'id = :id', values: { ':id': id } };
    return [{ item: keyText(item), wrong, repair: [{ remove: key }, still] }];
  });
}
