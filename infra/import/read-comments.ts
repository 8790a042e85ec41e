import { characters, trimEnd } from '../../lib/base/text.ts';
import { attachmentHeading } from '../../lib/bugs/attachments/presenter.ts';
import { MAX_TAGS } from '../../lib/bugs/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import { attachmentOf, COMMENT_TYPES, type Page } from './read-bug-parts.ts';
import { ADDED_ID } from './read-source.ts';
import type { Row } from './row.ts';

/** The text of a comment as Bugzilla shows it. @param summaries of the attachments of the bug */
function textOf(row: Row, summaries: ReadonlyMap<number, string>): string {
  const [text, extra] = [row.text('thetext').replaceAll('\0', ' '), row.text('extra_data')];
  const type = row.number('type');
  if (type === COMMENT_TYPES.duplicate) {
    return `${text}\n\n*** This bug has been marked as a duplicate of bug ${extra} ***`;
  }
  if (type === COMMENT_TYPES.hasDuplicate)
    return `*** Bug ${extra} has been marked as a duplicate of this bug. ***`;
  const id = attachmentOf(row);
  if (id === null) return text;
  const kind = type === COMMENT_TYPES.created ? 'Created' : 'Comment on';
  return trimEnd(`${attachmentHeading(kind, { id, summary: summaries.get(id) ?? '' })}\n\n${text}`);
}

/** The comments of a bug, in their order. A bug without one gets an empty description. */
export function commentsOf(
  id: number,
  { reporter, oldest = '' }: { reporter: string; oldest: string | undefined },
  { parts, clock, problems, names }: Page,
): object[] {
  const where = `bug ${id}`;
  const rows = (parts.comments.get(id) ?? []).map((row) => ({
    row,
    time: clock.time(row.text('bug_when')) ?? oldest,
  }));
  rows.sort((a, b) =>
    a.time < b.time ? -1 : a.time > b.time ? 1 : a.row.number('comment_id') - b.row.number('comment_id'),
  );
  const comments = rows.map(({ row, time }) => {
    const number = row.number('comment_id');
    const full = textOf(row, parts.summaries);
    const text =
      characters(full) > MAX_COMMENT_LENGTH ? [...full].slice(0, MAX_COMMENT_LENGTH).join('') : full;
    if (text !== full) problems.add('bugs with changed comments', where, `comment ${number} is cut`);
    const tags = (parts.tags.get(number) ?? []).map((one) => one.text('tag'));
    return {
      id: number,
      text,
      creator: names.login(row.number('who')),
      creation_time: time,
      is_private: row.boolean('isprivate'),
      attachment_id: attachmentOf(row),
      work_time: row.number('work_time'),
      tags: tags.slice(0, MAX_TAGS),
    };
  });
  if (comments.length > 0) return comments;
  problems.add('bugs with changed comments', where, 'it has none: its description is empty here');
  const description = { is_private: false, attachment_id: null, work_time: 0, tags: [], text: '' };
  return [{ ...description, id: ADDED_ID + id, creator: reporter, creation_time: oldest }];
}
