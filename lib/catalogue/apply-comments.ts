import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { BugItem } from '../bugs/schema.ts';
import { type CommentItem, commentItem, commentPointerItem } from '../comments/schema.ts';
import { sumOfHours } from '../comments/validation.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import {
  bugKey,
  bugPartition,
  commentKey,
  commentPointerKey,
  commentRange,
  type Key,
} from '../dynamodb/keys.ts';
import { type Item, readItems, readRange } from '../dynamodb/read.ts';
import { ABSENT, transactWrite } from '../dynamodb/write.ts';
import { type CatalogueBug, CatalogueError } from './schema.ts';

type CatalogueComment = CatalogueBug['comments'][number];

/** A comment of a catalogue with its place in the bug. */
export interface PlacedComment {
  /** as it is in the table, or will be; a new one gets its tags afterwards */
  comment: CommentItem;
  /** that the catalogue wants on it */
  tags: string[];
  /** as the catalogue wants it */
  isPrivate: boolean;
  isNew: boolean;
}

/** The comments of a catalogue's bug. */
export interface PlacedComments {
  comments: PlacedComment[];
  /** what an interrupted run left of a bug that is not there yet, and the catalogue does not want */
  stale: CommentItem[];
}

/**
 * Finds each comment of a catalogue's bug in the table, or its place and id there. What an interrupted run left at
 * that place keeps its id.
 *
 * @throws CatalogueError when the table has another comment in its place, or its id elsewhere
 */
export async function placeComments(
  table: Table,
  bugId: number,
  bug: CatalogueBug,
  existing: BugItem | undefined,
  path: string,
): Promise<PlacedComments> {
  const items = await readRange(table, { pk: bugPartition(bugId), ...commentRange() });
  const written = items.map((item) => commentItem.parse(item));
  const there = existing === undefined ? [] : written;
  const left = existing === undefined ? written : [];
  const fresh = bug.comments.slice(there.length);
  const givenIds = fresh.flatMap(({ id }) => id ?? []);
  await refuseTakenIds(table, bugId, givenIds, path);

  const wanted = ({ tags, is_private }: CatalogueComment) => ({ tags, isPrivate: is_private });
  const kept = bug.comments.flatMap((given, count) => {
    const known = there[count];
    if (known === undefined) return [];
    const comment = sameComment(known, given, `${path}.comments[${count}]`);
    return [{ comment, ...wanted(given), isNew: false }];
  });
  const numbered = await withIds(table, bugId, fresh, there.length, left);
  const added = numbered.map(({ given, id, count }) => {
    const { text, creator, creation_time, is_private, attachment_id, work_time } = given;
    if (existing !== undefined && creation_time < existing.last_comment_time) {
      const place = `${path}.comments[${count}].creation_time`;
      throw new CatalogueError(`${place}: bug ${bugId} has a newer comment already`);
    }
    const comment = {
      id,
      bug_id: bugId,
      count,
      text,
      creator,
      creation_time,
      is_private,
      attachment_id,
      work_time,
      tags: [],
    };
    return { comment, ...wanted(given), isNew: true };
  });
  const used = new Set(added.map(({ comment }) => placeAndId(comment)));
  return { comments: [...kept, ...added], stale: left.filter((one) => !used.has(placeAndId(one))) };
}

const placeAndId = ({ id, bug_id, creation_time, count }: CommentItem) =>
  `${commentKey(bug_id, creation_time, count).sk} ${id}`;

interface Numbered {
  given: CatalogueComment;
  id: number;
  count: number;
}

/** Numbers comments that are not there yet: as the catalogue does, as what was left at their places, or anew. */
async function withIds(
  table: Table,
  bugId: number,
  fresh: CatalogueComment[],
  firstCount: number,
  left: CommentItem[],
): Promise<Numbered[]> {
  const givenIds = new Set(fresh.map(({ id }) => id));
  const placeOf = (time: string, count: number) => commentKey(bugId, time, count).sk;
  const idAt = new Map(
    left
      .filter(({ id }) => !givenIds.has(id))
      .map(({ id, creation_time, count }) => [placeOf(creation_time, count), id]),
  );
  const found = fresh.map((given, at) => {
    const count = firstCount + at;
    return { given, count, id: given.id ?? idAt.get(placeOf(given.creation_time, count)) };
  });
  const unnumbered = found.filter(({ id }) => id === undefined).length;
  let next = unnumbered === 0 ? 0 : await allocateIds(table, 'comment', unnumbered);
  return found.map(({ given, count, id }) => ({ given, count, id: id ?? next++ }));
}

function sameComment(known: CommentItem, given: CatalogueComment, place: string): CommentItem {
  const isSame = given.id === undefined ? given.text === known.text : given.id === known.id;
  if (isSame && given.creator === known.creator) return known;
  throw new CatalogueError(`${place}: bug ${known.bug_id} has another comment ${known.count}`);
}

async function refuseTakenIds(table: Table, bugId: number, ids: number[], path: string): Promise<void> {
  const pointers = (await readItems(table, ids.map(commentPointerKey))).map((item) =>
    commentPointerItem.parse(item),
  );
  const taken = pointers.find(({ bug_id }) => bug_id !== bugId);
  if (taken !== undefined) {
    throw new CatalogueError(`${path}.comments: bug ${taken.bug_id} has one of their ids`);
  }
}

const COMMENTS_A_TRANSACTION = 10;

/** Adds comments to a bug that is there, as clients may be doing at the same time. */
export async function appendComments(table: Table, bug: BugItem, comments: PlacedComment[]): Promise<void> {
  for (let at = 0; at < comments.length; at += COMMENTS_A_TRANSACTION) {
    const some = comments.slice(at, at + COMMENTS_A_TRANSACTION).map(({ comment }) => comment);
    const [first, last] = [some[0], some.at(-1)];
    if (first === undefined || last === undefined) return;
    await transactWrite(table, [
      ...some.flatMap((comment) => itemsOf(comment).map((put) => ({ put, condition: ABSENT }))),
      {
        update: bugKey(bug.id),
        set: 'SET comment_count = :next, last_comment_time = :time, last_change_time = :time ADD hours_worked :hours',
        condition: 'comment_count = :count',
        values: {
          ':count': first.count,
          ':next': last.count + 1,
          ':time': last.creation_time,
          ':hours': sumOfHours(some.map(({ work_time }) => work_time)),
        },
      },
    ]);
  }
}

/** Makes a comment that is there private, or public again. */
export async function setPrivacy(table: Table, { comment, isPrivate }: PlacedComment): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...commentKey(comment.bug_id, comment.creation_time, comment.count) },
      UpdateExpression: 'SET is_private = :private',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':private': isPrivate },
    }),
  );
}

function itemsOf(comment: CommentItem): (Key & Item)[] {
  const { id, bug_id, creation_time, count } = comment;
  return [
    { ...commentKey(bug_id, creation_time, count), ...comment },
    { ...commentPointerKey(id), bug_id, creation_time, count },
  ];
}
