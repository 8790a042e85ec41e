import * as z from 'zod';
import type { CatalogueComment } from '../../../lib/catalogue/schema-bugs.ts';
import { MAX_TAGS } from '../../../lib/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../../lib/comments/validation.ts';
import { characters } from '../../../lib/text.ts';
import { HIDDEN_COMMENTS, type Problem } from './problems.ts';
import { boolean, id, idOrNone, type SourceBug, text, texts, time } from './source-schema.ts';

const comment = z.object({
  id,
  count: z.coerce.number().optional(),
  text,
  creator: text,
  creation_time: time.optional(),
  time: time.optional(),
  /** required: without it a comment would be public */
  is_private: boolean,
  attachment_id: idOrNone,
  tags: texts,
});
export type SourceComment = z.output<typeof comment>;

export const commentsResponse = z.object({
  bugs: z.record(z.string(), z.object({ comments: z.array(comment) })),
});

/**
 * The ids of descriptions that are added where Bugzilla has none: this plus that of the bug. It is far beyond Bugzilla's own,
 * because the next comment there has the next id.
 */
const ADDED_DESCRIPTION = 1_000_000_000;

/** The id of the description that is added to a bug without comments. */
export const addedDescriptionId = (bug: number): number => ADDED_DESCRIPTION + bug;

/** How many of the comments of a bug Bugzilla has shown. */
export const shownComments = (comments: readonly { id?: number | undefined }[]): number =>
  comments.filter(({ id = 0 }) => id <= ADDED_DESCRIPTION).length;

type Numbered = SourceComment & { count: number };

const timeOf = ({ creation_time, time }: SourceComment) => creation_time ?? time ?? '';

/** What a catalogue has of a comment of Bugzilla, which does not say the hours: a new field is an error here until it is converted. */
type Converted = Required<Omit<CatalogueComment, 'work_time'>>;

/**
 * Converts the comments of a bug to the format of a catalogue. They keep their order, but are numbered without gaps, and a time before
 * that of the previous comment is raised to it. A bug without comments gets an empty description.
 *
 * @returns the comments, and what was changed or is missing
 */
export function convertComments(
  { id: bug, creator, creation_time, last_change_time }: SourceBug,
  given: readonly SourceComment[],
): { comments: Converted[]; problems: Problem[] } {
  if (given.length === 0) {
    const why = 'Bugzilla has no comments of it: its description is empty here';
    const description = {
      id: addedDescriptionId(bug),
      text: '',
      is_private: false,
      attachment_id: null,
      tags: [],
    };
    return {
      comments: [{ ...description, creator, creation_time: creation_time ?? last_change_time }],
      problems: [{ kind: 'bugs with changed comments', where: `bug ${bug}`, why }],
    };
  }
  const sorted = given
    .map((comment, index) => ({ ...comment, count: comment.count ?? index }))
    .sort((a, b) => a.count - b.count || a.id - b.id);
  let latest = '';
  const comments = sorted.map((comment): Converted => {
    const given = timeOf(comment);
    latest = given > latest ? given : latest;
    return {
      id: comment.id,
      text: truncate(comment.text),
      creator: comment.creator,
      creation_time: latest,
      is_private: comment.is_private,
      attachment_id: comment.attachment_id ?? null,
      tags: comment.tags.slice(0, MAX_TAGS),
    };
  });
  return { comments, problems: problemsOf(bug, sorted) };
}

function truncate(text: string): string {
  if (characters(text) <= MAX_COMMENT_LENGTH) return text;
  return [...text].slice(0, MAX_COMMENT_LENGTH).join('');
}

function problemsOf(bug: number, comments: Numbered[]): Problem[] {
  const where = `bug ${bug}`;
  const problems: Problem[] = [];
  const hidden = hiddenComments(comments);
  if (hidden > 0) {
    const why = `at least ${hidden} comments; the following ones get lower numbers`;
    problems.push({ kind: HIDDEN_COMMENTS, where, why });
  }
  const changed = (why: string) => problems.push({ kind: 'bugs with changed comments', where, why });
  const renumbered = comments.filter(({ count }, index) => count !== index);
  if (hidden <= 0 && renumbered.length > 0) {
    changed(`duplicate comment numbers in Bugzilla: ${renumbered.length} comments renumbered`);
  }
  const early = comments.filter((comment, index) => {
    const before = comments[index - 1];
    return before !== undefined && timeOf(comment) < timeOf(before);
  });
  if (early.length > 0) changed(`times before that of the previous comment: ${ids(early)}`);
  const long = comments.filter(({ text }) => characters(text) > MAX_COMMENT_LENGTH);
  if (long.length > 0) changed(`truncated to ${MAX_COMMENT_LENGTH} characters: ${ids(long)}`);
  const tagged = comments.filter(({ tags }) => tags.length > MAX_TAGS);
  if (tagged.length > 0) changed(`only the first ${MAX_TAGS} tags: ${ids(tagged)}`);
  return problems;
}

/** How many comments of a bug are hidden at least, by gaps in their numbers: those after the last one leave none. */
export function hiddenComments(comments: readonly SourceComment[]): number {
  const highest = comments.reduce((max, { count = 0 }) => Math.max(max, count), -1);
  return Math.max(0, highest + 1 - comments.length);
}

const MAX_IDS = 20;

function ids(comments: Numbered[]): string {
  const shown = comments.slice(0, MAX_IDS).map(({ id }) => id);
  return `comments ${shown.join(', ')}${comments.length > MAX_IDS ? ', …' : ''}`;
}
