import * as z from 'zod';
import { characters } from '../../lib/base/text.ts';
import { MAX_TAGS } from '../../lib/bugs/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import type { CatalogueComment } from '../../lib/catalogue/schema-bugs.ts';
import { HIDDEN_COMMENTS, type Problem } from './problems.ts';
import {
  boolean,
  givenTexts,
  id,
  idOrNone,
  type SourceBug,
  type SourceHistory,
  text,
  time,
} from './source-schema.ts';

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
  /** absent where Bugzilla has no group for them */
  tags: givenTexts.optional(),
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

/** What a catalogue has of a comment of Bugzilla: a new field is an error here until it is converted. */
type Converted = Required<CatalogueComment>;

/**
 * Converts the comments of a bug to the format of a catalogue. They keep their order, but are numbered without gaps, and a time before
 * that of the previous comment is raised to it. A bug without comments gets an empty description.
 *
 * @returns the comments, and what was changed or is missing
 */
export function convertComments(
  { id: bug, creator, creation_time, last_change_time, actual_time }: SourceBug,
  given: readonly SourceComment[],
  history: SourceHistory,
): { comments: Converted[]; problems: Problem[] } {
  if (given.length === 0) {
    const why = 'Bugzilla has no comments of it: its description is empty here';
    const description = {
      id: addedDescriptionId(bug),
      text: '',
      is_private: false,
      attachment_id: null,
      work_time: roundHours(actual_time ?? 0),
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
  const hours = hoursOf(sorted, history, actual_time);
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
      work_time: hours.get(comment.id) ?? 0,
      tags: comment.tags?.slice(0, MAX_TAGS) ?? [],
    };
  });
  return { comments, problems: problemsOf(bug, sorted) };
}

const HOURS = 'work_time';
/** Hours have two decimals. */
const roundHours = (hours: number): number => Math.round(hours * 100) / 100;

/**
 * The hours of comments, by id, which the history of a bug has: with the time and the author of each. The hours of the description are
 * what is left of those of the bug.
 *
 * @param total hours worked on the bug; undefined: they are not shown
 */
function hoursOf(
  comments: readonly Numbered[],
  history: SourceHistory,
  total: number | undefined,
): Map<number, number> {
  const hours = new Map<number, number>();
  for (const { when, who, changes } of history) {
    for (const { field_name, added } of changes) {
      const worked = Number(added);
      if (field_name !== HOURS || !Number.isFinite(worked)) continue;
      const isThen = (one: Numbered) => timeOf(one) === when && one.creator === who && !hours.has(one.id);
      const comment = comments.find(isThen);
      if (comment !== undefined) hours.set(comment.id, worked);
    }
  }
  const [description] = comments;
  if (description === undefined || total === undefined) return hours;
  const known = [...hours].reduce((sum, [, worked]) => sum + worked, 0);
  const left = roundHours(total - known);
  if (left !== 0) hours.set(description.id, roundHours(left + (hours.get(description.id) ?? 0)));
  return hours;
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
  const tagged = comments.filter(({ tags = [] }) => tags.length > MAX_TAGS);
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
