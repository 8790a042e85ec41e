import * as z from 'zod';
import { distinctNames } from '../base/names.ts';
import { characters } from '../base/text.ts';
import { MAX_HOURS } from '../base/time.ts';
import {
  checkFileName,
  MAX_ATTACHMENT_SUMMARY_LENGTH,
  MAX_ATTACHMENTS_A_BUG,
  MAX_DATA_BYTES,
  parseContentType,
} from '../bugs/attachments/validation.ts';
import { MAX_TAGS } from '../bugs/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../bugs/comments/validation.ts';
import {
  type BuiltInKind,
  kindOf,
  MAX_INTEGER,
  MAX_SHORT_TEXT_LENGTH,
  MIN_INTEGER,
  type Shape,
  type ShapeOf,
} from '../bugs/fields/kinds.ts';
import {
  BUILT_IN_FIELDS,
  type CatalogueName,
  type CatalogueRow,
  catalogueName,
} from '../bugs/fields/registry.ts';
import { isAlias, MAX_ALIAS_LENGTH } from '../bugs/validation.ts';
import { MAX_FLAG_TYPE_NAME_LENGTH } from '../products/schema.ts';
import {
  anyText,
  bugSummary,
  bugText,
  date,
  givenId,
  groupName,
  hours,
  login,
  loginOrEmpty,
  name,
  ownId,
  tag,
  time,
} from './schema-rules.ts';

/** A text with a limit in characters. */
const atMost = (max: number) =>
  anyText.refine((given) => characters(given) <= max, `must have at most ${max} characters`);

const comment = z.strictObject({
  id: ownId,
  text: atMost(MAX_COMMENT_LENGTH),
  creator: login,
  creation_time: time,
  is_private: z.boolean().optional(),
  attachment_id: z.int().nullable().default(null),
  work_time: hours(-MAX_HOURS).default(0),
  tags: z.array(tag).max(MAX_TAGS).default([]),
});
/** A comment of a catalogue. */
export type CatalogueComment = z.output<typeof comment>;

const change = z.strictObject({
  field_name: z.string(),
  removed: anyText,
  added: anyText,
  attachment_id: z.int().optional(),
});

/** A flag as the interface shows it. */
const bugFlag = z.strictObject({
  id: ownId,
  type_id: givenId,
  name: name(MAX_FLAG_TYPE_NAME_LENGTH),
  status: z.enum(['+', '-', '?']),
  setter: login,
  requestee: login.nullable().default(null),
  creation_date: time,
  modification_date: time,
});

/** The data of an attachment: that of a file is read when it is needed. */
export interface AttachmentData {
  read(): Promise<Buffer>;
}

/** Without a repeated group, whose matching takes memory for each repetition. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));

/** An attachment as the interface shows it, with booleans as such. */
export const attachment = z.strictObject({
  id: ownId,
  file_name: anyText.transform((given, context) => {
    try {
      return checkFileName(given, () => new Error('must be the name of a file'));
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : '' });
      return z.NEVER;
    }
  }),
  summary: atMost(MAX_ATTACHMENT_SUMMARY_LENGTH),
  content_type: z
    .string()
    .refine((given) => parseContentType(given) !== undefined, 'must be a content type, such as text/plain'),
  creator: login,
  creation_time: time,
  last_change_time: time,
  is_patch: z.boolean().default(false),
  is_private: z.boolean().default(false),
  is_obsolete: z.boolean().default(false),
  data: z
    .string()
    .refine(isBase64, 'Invalid base64-encoded string')
    .refine(({ length }) => 3 * length <= 4 * MAX_DATA_BYTES, `must have at most ${MAX_DATA_BYTES} bytes`)
    .transform((text): AttachmentData => ({ read: () => Promise.resolve(Buffer.from(text, 'base64')) })),
  flags: z.array(bugFlag).max(100).default([]),
});

const historyEntry = z.strictObject({ when: time, who: login, changes: z.array(change).min(1) });

const aliases = z.array(
  name(MAX_ALIAS_LENGTH).refine(
    isAlias,
    'must not be a number or part of a path, and must not have white space, commas or slashes',
  ),
);

/** How a value is validated, by its shape. Values that are not legal are kept, as an import has them. */
export const SHAPE_RULES = {
  id: ownId,
  summary: bugSummary,
  text: bugText,
  largeText: anyText,
  shortText: atMost(MAX_SHORT_TEXT_LENGTH),
  name: name(),
  names: z.array(name()).transform(distinctNames),
  groups: z.array(groupName).transform(distinctNames),
  aliases,
  addresses: z.array(anyText.regex(/^https?:\/\//i, 'must be an address of the web')),
  login: loginOrEmpty,
  logins: z.array(login).transform(distinctNames),
  boolean: z.boolean(),
  hours: hours(0),
  integer: z.int().min(MIN_INTEGER).max(MAX_INTEGER),
  date: date.nullable(),
  time,
  bug: givenId.nullable(),
  bugs: z.array(givenId),
} as const satisfies Record<Shape, z.ZodType>;

type RuleOf<K extends BuiltInKind> = (typeof SHAPE_RULES)[ShapeOf<K>];
type FieldRule<R extends CatalogueRow> = R['catalogue'] extends 'required'
  ? RuleOf<R['kind']>
  : z.ZodOptional<RuleOf<R['kind']>>;

type FieldRules = { [R in CatalogueRow as CatalogueName<R>]: FieldRule<R> };

const inCatalogue = BUILT_IN_FIELDS.filter(({ catalogue }) => catalogue !== undefined);

const isComplete = (rules: object): rules is FieldRules =>
  inCatalogue.every((field) => Object.hasOwn(rules, catalogueName(field) ?? ''));

/** The fields of a bug in a catalogue; absent: the table's value, or the default. */
function fieldRules(): FieldRules {
  const rules = Object.fromEntries(
    inCatalogue.map((field) => {
      const rule = SHAPE_RULES[kindOf(field).shape];
      return [catalogueName(field), field.catalogue === 'required' ? rule : rule.optional()];
    }),
  );
  if (!isComplete(rules)) throw new Error('A field of bugs has no rule in catalogues');
  return rules;
}

export const CUSTOM_NAME = /^cf_[a-z0-9_]+$/;

/** The creation time is that of the first comment; the last change is not before the last comment. */
const bugFieldRules = {
  ...fieldRules(),
  reporter: login,
  flags: z.array(bugFlag).max(100).optional(),
  attachments: z.array(attachment).max(MAX_ATTACHMENTS_A_BUG).optional(),
  comments: z.array(comment).min(1),
  /** oldest first */
  history: z.array(historyEntry).default([]),
};

/** The values of custom fields, which a catalogue has beside the other fields; custom-values.ts validates them. */
const customValues = z.record(z.string().regex(CUSTOM_NAME), z.unknown());

export const bugWithCustom = z.strictObject({ ...bugFieldRules, custom: customValues.default({}) });

/** A bug with what belongs to it. */
export const bug = z.preprocess((given) => {
  if (typeof given !== 'object' || given === null) return given;
  const [custom, others] = [true, false].map((isCustom) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('cf_') === isCustom)),
  );
  return { ...others, custom };
}, bugWithCustom);
