import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { sumOfHours } from '../../../lib/comments/rules.ts';
import { type CommentItem, commentItem, commentPointerItem } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/db/client.ts';
import { takeIds } from '../../../lib/db/counters.ts';
import {
  bugKey,
  bugPartition,
  commentKey,
  commentPointerKey,
  commentRange,
  type Key,
} from '../../../lib/db/keys.ts';
import { type Item, inParallel, readItems, readRange } from '../../../lib/db/reading.ts';
import { ABSENT, writeItem, writeTogether } from '../../../lib/db/writing.ts';
import { type CatalogueBug, WrongCatalogue } from '../catalogue.ts';

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

/**
 * Finds each comment of a catalogue's bug in the table, or its place and id there.
 *
 * @throws WrongCatalogue when the table has another comment in its place, or its id elsewhere
 */
export async function placeComments(
  table: Table,
  bugId: number,
  bug: CatalogueBug,
  existing: BugItem | undefined,
  path: string,
): Promise<PlacedComment[]> {
  const items = await readRange(table, { pk: bugPartition(bugId), ...commentRange() });
  // Without the bug, comments are what an interrupted run left: their ids are taken up.
  const written = items.map((item) => commentItem.parse(item));
  const there = existing === undefined ? [] : written;
  const fresh = bug.comments.slice(there.length);
  const unnumbered = fresh.filter(
    ({ id }, at) => id === undefined && written[there.length + at] === undefined,
  );
  let next = unnumbered.length === 0 ? 0 : await takeIds(table, 'comment', unnumbered.length);
  await refuseTakenIds(
    table,
    bugId,
    fresh.flatMap(({ id }) => id ?? []),
    path,
  );

  return bug.comments.map((given, count) => {
    const known = there[count];
    const wanted = { tags: given.tags, isPrivate: given.is_private };
    const place = `${path}.comments[${count}]`;
    if (known !== undefined) return { comment: sameComment(known, given, place), ...wanted, isNew: false };
    if (existing !== undefined && given.creation_time < existing.last_comment_time) {
      throw new WrongCatalogue(`${place}.creation_time: bug ${bugId} has a newer comment already`);
    }
    const { text, creator, creation_time, is_private, attachment_id, work_time } = given;
    const id = given.id ?? written[count]?.id ?? next++;
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
    return { comment, ...wanted, isNew: true };
  });
}

function sameComment(
  known: CommentItem,
  given: CatalogueBug['comments'][number],
  place: string,
): CommentItem {
  const isSame = given.id === undefined ? given.text === known.text : given.id === known.id;
  if (isSame && given.creator === known.creator) return known;
  throw new WrongCatalogue(`${place}: bug ${known.bug_id} has another comment ${known.count}`);
}

async function refuseTakenIds(table: Table, bugId: number, ids: number[], path: string): Promise<void> {
  const pointers = (await readItems(table, ids.map(commentPointerKey))).map((item) =>
    commentPointerItem.parse(item),
  );
  const taken = pointers.find(({ bug_id }) => bug_id !== bugId);
  if (taken !== undefined) {
    throw new WrongCatalogue(`${path}.comments: bug ${taken.bug_id} has one of their ids`);
  }
}

/**
 * Writes the comments of a bug that is not there yet: nobody sees them before it is. What an interrupted run left of
 * others goes.
 *
 * @throws ConditionFailed when another run has written it meanwhile
 */
export async function writeNewComments(
  table: Table,
  bugId: number,
  comments: PlacedComment[],
): Promise<void> {
  const wanted = new Set(comments.map(({ comment }) => keyOf(comment).sk));
  const left = await readRange(table, { pk: bugPartition(bugId), ...commentRange() });
  const stale = left
    .map((item) => commentItem.parse(item))
    .filter((comment) => !wanted.has(keyOf(comment).sk));
  await inParallel(stale, (comment) => removeLeftover(table, comment));
  await inParallel(comments, ({ comment }) => writeInvisible(table, comment));
}

const keyOf = ({ bug_id, creation_time, count }: CommentItem): Key =>
  commentKey(bug_id, creation_time, count);

async function removeLeftover(table: Table, comment: CommentItem): Promise<void> {
  const { id, bug_id } = comment;
  await writeTogether(table, [
    { check: bugKey(bug_id), condition: ABSENT },
    { remove: keyOf(comment) },
    {
      remove: commentPointerKey(id),
      condition: 'attribute_not_exists(pk) OR bug_id = :bug',
      values: { ':bug': bug_id },
    },
  ]);
}

/** Conditions keep it from undoing what another run, or a tagger, has done since that run made the bug visible. */
async function writeInvisible(table: Table, comment: CommentItem): Promise<void> {
  const { id, bug_id, creation_time, count } = comment;
  await writeItem(
    table,
    { ...commentPointerKey(id), bug_id, creation_time, count },
    { condition: 'attribute_not_exists(pk) OR bug_id = :bug', values: { ':bug': bug_id } },
  );
  await writeItem(
    table,
    { ...keyOf(comment), ...comment },
    {
      condition: 'attribute_not_exists(pk) OR (id = :id AND size(tags) = :none)',
      values: { ':id': id, ':none': 0 },
    },
  );
}

const COMMENTS_A_TRANSACTION = 10;

/** Adds comments to a bug that is there, as clients may be doing at the same time. */
export async function appendComments(table: Table, bug: BugItem, comments: PlacedComment[]): Promise<void> {
  for (let at = 0; at < comments.length; at += COMMENTS_A_TRANSACTION) {
    const some = comments.slice(at, at + COMMENTS_A_TRANSACTION).map(({ comment }) => comment);
    const [first, last] = [some[0], some.at(-1)];
    if (first === undefined || last === undefined) return;
    await writeTogether(table, [
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
