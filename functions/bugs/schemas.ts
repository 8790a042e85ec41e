import * as z from 'zod/mini';
import type { Given } from '../../lib/bugs/change/bug-update.ts';
import type { CustomGiven } from '../../lib/bugs/change/custom-values.ts';
import type { BugField } from '../../lib/bugs/fields/field.ts';
import { type GivenList, kindOf } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, type CreatedRow, type UpdatedRow } from '../../lib/bugs/fields/registry.ts';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import {
  flag,
  nullAsBlank,
  optional,
  type Parameters,
  parseParameters,
  RepeatedValue,
  text,
  texts,
} from '../../lib/http/parameters.ts';
import type { ListUpdate } from '../../lib/name-lists.ts';
import { givenFlags } from '../flag-parameters.ts';

/** Bugs that are read by ids and aliases, beside that of the path. */
export const bugsById = z.object({
  ids: texts,
  permissive: optional(flag),
});

export const historyQuery = z.object({
  ids: texts,
  new_since: optional(text),
});

export const fieldQuery = z.object({
  names: texts,
  ids: texts,
});

/** Of the values of a field that depends on the product; in the path or here. */
export const valuesQuery = z.object({ product_id: z._default(text, '') });

/** A new bug's list: all of it is added. */
const added = (split: (given: string[]) => string[]) =>
  z.pipe(
    texts,
    z.transform((given): ListUpdate => ({ add: split(given).filter(Boolean), remove: [] })),
  );

/** How the text of a list falls into elements: those of keywords and bugs have neither commas nor white space. */
const SPLIT: Record<GivenList['separators'], (given: string[]) => string[]> = {
  none: (given) => given,
  comma: (given) => given.flatMap((one) => one.split(',')),
  'comma or space': (given) => given.flatMap((one) => one.split(/[\s,]+/)),
  text: (given) => {
    const [only = '', ...others] = given;
    return others.length === 0 ? only.split(/[\s,]+/) : given;
  },
};

/** How the field of a new bug is read. Null is the default; where Bugzilla requires a value, it is blank. */
function creationParser(field: BugField): z.ZodMiniType {
  const { given } = kindOf(field);
  if (given === 'flag') return optional(flag);
  if (given === 'text') return field.created === 'required' ? nullAsBlank(text) : optional(text);
  return optional(added(SPLIT[given.separators]));
}

/** Elements to add and to remove; other keys are ignored. */
const listChange = z.object({ add: texts, remove: texts });
/** The same, or all elements there are to be. */
const listUpdate = z.object({ add: texts, remove: texts, set: z.optional(texts) });

const isListChange = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !(given instanceof RepeatedValue);

/** Keywords or bugs; only a text is divided, no element of a list. */
const dividedTexts = z.pipe(
  z.transform((given: unknown): unknown =>
    typeof given === 'string' ? SPLIT['comma or space']([given]).filter(Boolean) : given,
  ),
  texts,
);
const dividedUpdate = z.object({ add: dividedTexts, remove: dividedTexts, set: z.optional(dividedTexts) });

/** An alias may come as a text or list: then it stands for all of them; null for none. */
const aliasUpdate = z.pipe(
  z.transform((given: unknown): unknown => (isListChange(given) ? given : { set: given ?? [] })),
  listUpdate,
);

/** A comment within an update; clients call its text by either name. */
const commentWithin = z.object({
  body: optional(text),
  comment: optional(text),
  is_private: optional(flag),
});

/** How the field of an update is read. Null is blank for what can be so. */
function updateParser(field: BugField): z.ZodMiniType {
  const { given } = kindOf(field);
  if (given === 'flag') return nullAsBlank(flag);
  if (given === 'text') return nullAsBlank(text);
  if (!given.canBeSet) return optional(listChange);
  return given.separators === 'text' ? z.optional(aliasUpdate) : optional(dividedUpdate);
}

type CreatedShape = { [R in CreatedRow as R['rest']]: z.ZodMiniType<Given<R['kind']> | undefined> };
type UpdatedShape = { [R in UpdatedRow as R['rest']]: z.ZodMiniType<Given<R['kind']> | undefined> };

/** The parameters of a new bug that are fields, by the names of the interface. */
function createdShape(): CreatedShape;
function createdShape(): object {
  const given = BUILT_IN_FIELDS.filter(({ created }) => created !== undefined && created !== 'ignored');
  return Object.fromEntries(given.map((field) => [field.rest, creationParser(field)]));
}

/** The parameters of an update that are fields, by the names of the interface. */
function updatedShape(): UpdatedShape;
function updatedShape(): object {
  const given = BUILT_IN_FIELDS.filter(({ updated }) => updated !== undefined);
  return Object.fromEntries(given.map((field) => [field.rest, updateParser(field)]));
}

/** What a bug is created from. What is required is checked with errors of its own. */
export const newBug = z.object({
  ...createdShape(),
  default_version: optional(text),
  description: optional(text),
  comment: optional(text),
  comment_is_private: optional(flag),
  comment_tags: texts,
  flags: givenFlags,
});

/** What may come with a new bug beside its fields, but is not taken. */
export const IGNORED_OF_NEW_BUG = ['actual_time', 'type', 'attachment_id', ...CREDENTIAL_PARAMETERS];

/** What an update changes. */
export const bugUpdate = z.object({
  ids: texts,
  ...updatedShape(),
  comment: optional(z.union([commentWithin, text], 'it must be a string, or an object with a body')),
  comment_is_private: optional(z.record(z.string(), flag)),
  comment_tags: texts,
  flags: givenFlags,
  reset_assigned_to: optional(flag),
  reset_qa_contact: optional(flag),
  work_time: nullAsBlank(text),
});

const isCustom = (name: string): boolean => name.startsWith('cf_');

/** How the value of a custom field is read, before its kind is known: an object, a list, or a text. Null is empty. */
function customParser(given: unknown): z.ZodMiniType<CustomGiven> {
  if (given === null)
    return z.pipe(
      z.null(),
      z.transform(() => ''),
    );
  if (isListChange(given)) return listUpdate;
  const isList = Array.isArray(given) || given instanceof RepeatedValue;
  return isList
    ? z.pipe(
        texts,
        z.transform((set): ListUpdate => ({ add: [], remove: [], set })),
      )
    : text;
}

/** The custom fields that a request gives, by name. */
export function customParameters(parameters: Parameters): Map<string, CustomGiven> {
  const given = [...parameters].filter(([name]) => isCustom(name));
  const schema = z.object(Object.fromEntries(given.map(([name, value]) => [name, customParser(value)])));
  return new Map(Object.entries(parseParameters(schema, new Map(given))));
}
