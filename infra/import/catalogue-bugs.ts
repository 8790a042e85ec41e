import { parseContentType } from '../../lib/bugs/attachments/validation.ts';
import { customKind } from '../../lib/bugs/fields/custom-field.ts';
import type { BugField } from '../../lib/bugs/fields/field.ts';
import { KINDS, kindOf } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../lib/bugs/fields/registry.ts';
import { parseCustomValue } from '../../lib/catalogue/custom-values.ts';
import { repairedText } from '../../lib/catalogue/repaired-text.ts';
import type { Problem } from './problems.ts';
import { convertComments, type SourceComment } from './source-comments.ts';
import { READERS, type SourceAttachment, type SourceBug, type SourceHistory } from './source-schema.ts';

/**
 * Converts a bug of Bugzilla with its comments and history to the format of a catalogue, not yet validated. Ids are
 * kept.
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
  const converted = convertComments(source, comments, history);
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
    comments: converted.comments,
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
  return { bug, problems: [...converted.problems, ...repaired, ...invalid, ...untyped] };
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
