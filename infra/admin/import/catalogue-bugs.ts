import { parseContentType } from '../../../lib/attachments/validation.ts';
import { customKind } from '../../../lib/bugs/fields/custom-field.ts';
import type { BugField } from '../../../lib/bugs/fields/field.ts';
import { KINDS, kindOf } from '../../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../../lib/bugs/fields/registry.ts';
import { parseCustomValue } from '../../../lib/catalogue/custom-values.ts';
import { repairedText } from '../../../lib/catalogue/repaired-text.ts';
import { MAX_TAGS } from '../../../lib/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../../lib/comments/validation.ts';
import { characters } from '../../../lib/text.ts';
import { HIDDEN_COMMENTS, type Problem } from './problems.ts';
import {
  READERS,
  type SourceAttachment,
  type SourceBug,
  type SourceComment,
  type SourceHistory,
} from './source-schema.ts';

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
  const custom = [...customTypes].flatMap(([name, type]) =>
    given[name] === undefined ? [] : [{ name, parsed: customValue(given[name], type) }],
  );
  const builtIn = builtInValues(given);
  const bug = {
    ...Object.fromEntries(builtIn.map(({ field, value }) => [catalogueName(field), value])),
    ...Object.fromEntries(
      custom.map(({ name, parsed }) => [name, 'value' in parsed ? (parsed.value ?? null) : null]),
    ),
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
  const repaired = builtIn.flatMap(({ field, value, problem }): Problem[] => {
    const why = `it ${problem}; here it is '${String(value).slice(0, MAX_SHOWN_TEXT)}'`;
    const where = `bug ${source.id}, ${field.rest}`;
    return problem === undefined ? [] : [{ kind: 'bugs with changed texts', where, why }];
  });
  const untyped = attachments
    .filter((one) => !isContentType(one))
    .map(({ id, content_type }): Problem => {
      const why = `the content type '${content_type.slice(0, MAX_SHOWN_TYPE)}' is replaced by ${UNKNOWN_TYPE}`;
      return { kind: 'bugs with changed attachments', where: `bug ${source.id}, attachment ${id}`, why };
    });
  return { bug, problems: [...problemsOf(source.id, sorted), ...repaired, ...invalid, ...untyped] };
}

/** The content type of what has none that can be sent. */
const UNKNOWN_TYPE = 'application/octet-stream';
const MAX_SHOWN_TYPE = 80;
const MAX_SHOWN_TEXT = 80;

const isContentType = ({ content_type }: SourceAttachment): boolean =>
  parseContentType(content_type) !== undefined;

interface BuiltInValue {
  field: BugField;
  value: unknown;
  /** the rule that a text broke, which is repaired */
  problem: string | undefined;
}

/**
 * The values of fields that every deployment has. A name that Bugzilla does not have is left out: it takes the default.
 */
const builtInValues = (given: Readonly<Record<string, unknown>>): BuiltInValue[] =>
  BUILT_IN_FIELDS.filter(({ catalogue }) => catalogue !== undefined).flatMap((field) => {
    const value = given[field.rest ?? ''];
    if (value === undefined || (value === '' && kindOf(field).shape === 'name')) return [];
    return [
      { field, ...(typeof value === 'string' ? repairedText(field, value) : { value, problem: undefined }) },
    ];
  });

/** The value of a custom field of a type as a catalogue has it: parseCustomValue. */
function customValue(given: unknown, type: number): ReturnType<typeof parseCustomValue> {
  if (given === null || given === '') return { value: undefined };
  const kind = customKind(type);
  const { data, error } = READERS[KINDS[kind].shape].safeParse(given);
  return error === undefined
    ? parseCustomValue(kind, data)
    : { problem: error.issues[0]?.message ?? 'is invalid' };
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
    problems.push({ kind: HIDDEN_COMMENTS, where, why });
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
