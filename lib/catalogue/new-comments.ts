import type { CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { bugKey, commentKey, commentPointerKey } from '../dynamodb/keys.ts';
import { ABSENT, type Action, transactWrite } from '../dynamodb/write.ts';
import { bytes } from '../text.ts';

/**
 * Writes the comments of a bug that is not there yet: nobody sees them before it is. They come in their order, so
 * that of a run that ends the last ones are missing.
 *
 * @param stale what an interrupted run left and nobody wants any more: it goes first
 * @throws ConditionFailed when another run has written the bug, or other comments of it, meanwhile
 */
export async function writeNewComments(
  table: Table,
  bugId: number,
  comments: CommentItem[],
  stale: CommentItem[],
): Promise<void> {
  const stillUnseen: Action = { check: bugKey(bugId), condition: ABSENT };
  for (const comment of stale) await transactWrite(table, [stillUnseen, ...removed(comment)]);
  for (const some of portions(comments)) {
    await transactWrite(table, [stillUnseen, ...some.flatMap(written)]);
  }
}

/** Each takes two actions of the 100 of a transaction, and the bug one. */
const MAX_COMMENTS = 49;
/** DynamoDB takes 4 MB in one transaction. */
const MAX_BYTES = 3_500_000;
/** What a comment and its pointer have beside the text. */
const MAX_COMMENT_OVERHEAD_BYTES = 2_000;

function* portions(comments: CommentItem[]): Generator<CommentItem[]> {
  let portion: CommentItem[] = [];
  let size = 0;
  for (const comment of comments) {
    const more = bytes(comment.text) + MAX_COMMENT_OVERHEAD_BYTES;
    if (portion.length === MAX_COMMENTS || size + more > MAX_BYTES) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(comment);
    size += more;
  }
  if (portion.length > 0) yield portion;
}

function written(comment: CommentItem): Action[] {
  const { id, bug_id, creation_time, count } = comment;
  return [
    {
      put: { ...commentKey(bug_id, creation_time, count), ...comment },
      condition: 'attribute_not_exists(pk) OR id = :id',
      values: { ':id': id },
    },
    { put: { ...commentPointerKey(id), bug_id, creation_time, count }, ...notOfAnotherBug(bug_id) },
  ];
}

const removed = ({ id, bug_id, creation_time, count }: CommentItem): Action[] => [
  { remove: commentKey(bug_id, creation_time, count) },
  { remove: commentPointerKey(id), ...notOfAnotherBug(bug_id) },
];

const notOfAnotherBug = (bug: number) => ({
  condition: 'attribute_not_exists(pk) OR bug_id = :bug',
  values: { ':bug': bug },
});
