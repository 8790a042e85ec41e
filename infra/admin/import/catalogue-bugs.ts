import { parseContentType } from '../../../lib/attachments/validation.ts';
import { customKind } from '../../../lib/bugs/fields/custom-field.ts';
import { type CustomKind, KINDS, kindOf, type ShapeOf } from '../../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../../lib/bugs/fields/registry.ts';
import { parseCustomValue } from '../../../lib/catalogue/custom-values.ts';
import { MAX_TAGS } from '../../../lib/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../../lib/comments/validation.ts';
import { characters } from '../../../lib/text.ts';
import type { Problem } from './problems.ts';
import type { SourceAttachment, SourceBug, SourceComment, SourceHistory } from './source-schema.ts';

/**
 * Converts a bug of Bugzilla with its comments and history to the format of a catalogue, not yet validated. Ids are
 * kept. Comments keep their order, but are numbered without gaps, and a time before that of the previous comment is
 * raised to it.
 *
 * @returns the bug, and what was changed or omitted
 */
export function catalogueBug(
  source: SourceBug,
  {
    comments,
    history,
    attachments,
    customTypes,
  }: {
    comments: SourceComment[];
    history: SourceHistory;
    attachments: SourceAttachment[];
    /** the types of custom fields, by name */
    customTypes: ReadonlyMap<string, number>;
  },
): { bug: Record<string, unknown>; problems: Problem[] } {
  const sorted = comments
    .map((comment, place) => ({ ...comment, count: comment.count ?? place }))
    .sort((a, b) => a.count - b.count || a.id - b.id);
  const given: Readonly<Record<string, unknown>> = source;
  const custom = [...customTypes].map(([name, type]) => {
    const kind = customKind(type);
    return { name, parsed: parseCustomValue(kind, customValue(given[name], kind)) };
  });
  const bug = {
    ...Object.fromEntries(
      BUILT_IN_FIELDS.flatMap((field) => {
        const value = given[field.rest ?? ''];
        // A field that is a name takes the default where Bugzilla has none.
        const isLeftOut = value === undefined || (value === '' && kindOf(field).shape === 'name');
        return field.catalogue === undefined || isLeftOut ? [] : [[catalogueName(field), value]];
      }),
    ),
    ...Object.fromEntries(custom.map(({ name, parsed }) => [name, 'value' in parsed ? parsed.value : null])),
    flags: source.flags,
    attachments: attachments.map((one) => ({
      ...one,
      content_type: isContentType(one) ? one.content_type : UNKNOWN_TYPE,
    })),
    // That of the first comment.
    creation_time: undefined,
    comments: convertComments(sorted),
    history: history.filter(({ changes }) => changes.length > 0),
  };
  const invalid = custom.flatMap(({ name, parsed }): Problem[] => {
    const kind = 'parts of products and bugs not copied';
    return 'problem' in parsed ? [{ kind, where: `bug ${source.id}, ${name}`, why: parsed.problem }] : [];
  });
  const untyped = attachments
    .filter((one) => !isContentType(one))
    .map(({ id, content_type }): Problem => {
      const why = `the content type '${content_type.slice(0, MAX_SHOWN_TYPE)}' is replaced by ${UNKNOWN_TYPE}`;
      return { kind: 'bugs with changed attachments', where: `bug ${source.id}, attachment ${id}`, why };
    });
  return { bug, problems: [...problemsOf(source.id, sorted), ...invalid, ...untyped] };
}

/** The content type of what has none that can be sent. */
const UNKNOWN_TYPE = 'application/octet-stream';
const MAX_SHOWN_TYPE = 80;

const isContentType = ({ content_type }: SourceAttachment): boolean =>
  parseContentType(content_type) !== undefined;

const asGiven = (given: unknown): unknown => given;

/** How the value of a custom field is read, by its shape: numbers as such, days without a time. */
const CUSTOM_READERS: Record<ShapeOf<CustomKind>, (given: unknown) => unknown> = {
  text: asGiven,
  shortText: asGiven,
  name: asGiven,
  names: asGiven,
  time: asGiven,
  date: (given) => String(given).slice(0, 'YYYY-MM-DD'.length),
  bug: Number,
  integer: Number,
};

/** The value of a custom field; null where the bug has none. */
function customValue(given: unknown, kind: CustomKind): unknown {
  const isEmpty = given === undefined || given === null || given === '';
  return isEmpty ? null : CUSTOM_READERS[KINDS[kind].shape](given);
}

type Numbered = SourceComment & { count: number };

const timeOf = ({ creation_time, time }: SourceComment) => creation_time ?? time ?? '';

function convertComments(comments: Numbered[]): object[] {
  let latest = '';
  return comments.map((comment) => {
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
}

function truncate(text: string): string {
  if (characters(text) <= MAX_COMMENT_LENGTH) return text;
  return [...text].slice(0, MAX_COMMENT_LENGTH).join('');
}

function problemsOf(bug: number, comments: Numbered[]): Problem[] {
  const where = `bug ${bug}`;
  const problems: Problem[] = [];
  const highest = comments.reduce((max, { count }) => Math.max(max, count), -1);
  const hidden = highest + 1 - comments.length;
  if (hidden > 0) {
    const why = `at least ${hidden} comments; the following ones get lower numbers`;
    problems.push({ kind: 'bugs with comments hidden from the API key', where, why });
  }
  const changed = (why: string) => problems.push({ kind: 'bugs with changed comments', where, why });
  const renumbered = comments.filter(({ count }, place) => count !== place);
  if (hidden <= 0 && renumbered.length > 0) {
    changed(`duplicate comment numbers in Bugzilla: ${renumbered.length} comments renumbered`);
  }
  const early = comments.filter((comment, place) => {
    const before = comments[place - 1];
    return before !== undefined && timeOf(comment) < timeOf(before);
  });
  if (early.length > 0) changed(`times before that of the previous comment: ${ids(early)}`);
  const long = comments.filter(({ text }) => characters(text) > MAX_COMMENT_LENGTH);
  if (long.length > 0) changed(`truncated to ${MAX_COMMENT_LENGTH} characters: ${ids(long)}`);
  const tagged = comments.filter(({ tags }) => tags.length > MAX_TAGS);
  if (tagged.length > 0) changed(`only the first ${MAX_TAGS} tags: ${ids(tagged)}`);
  return problems;
}

const MAX_IDS = 20;

function ids(comments: Numbered[]): string {
  const shown = comments.slice(0, MAX_IDS).map(({ id }) => id);
  return `comments ${shown.join(', ')}${comments.length > MAX_IDS ? ', …' : ''}`;
}
