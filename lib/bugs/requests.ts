import * as z from 'zod/mini';
import { listPartParameters } from '../base/list-part.ts';
import type { ListUpdate } from '../base/names.ts';
import {
  boolean,
  decimal,
  nullAsBlank,
  optional,
  type Parameter,
  type Parameters,
  param,
  parameters,
  parseParameters,
  RepeatedValue,
  text,
  texts,
} from '../base/parameters.ts';
import { commentParameter, descriptionParameters } from './comments/requests.ts';
import type { BugField } from './fields/field.ts';
import { type FieldKind, type GivenList, type KINDS, kindOf } from './fields/kinds.ts';
import { BUILT_IN_FIELDS, type CreatedRow, type UpdatedRow } from './fields/registry.ts';
import { givenFlags } from './flags/requests.ts';

/** What a request gives for a field of a kind. */
export type Given<K extends FieldKind> = (typeof KINDS)[K]['given'] extends 'text' | 'decimal'
  ? string
  : (typeof KINDS)[K]['given'] extends 'boolean'
    ? boolean
    : ListUpdate;

/** What a request gives for a custom field. */
export type CustomGiven = string | ListUpdate;

/** Bugs that are read by ids and aliases, beside that of the path. functions/bugs/README.md 2.1. */
export const bugsById = parameters({
  ids: param(texts, 'Ids or aliases of further bugs.', { example: ['2'] }),
  permissive: param(
    optional(boolean),
    'Whether bugs that cannot be read are listed in `faults`, and are no error.',
  ),
});

/** functions/bugs/README.md 2.2. */
export const historyQuery = parameters({
  ids: param(texts, 'Ids or aliases of further bugs.'),
  new_since: param(optional(text), 'Only changes after this time.', { example: '2026-03-01' }),
  ...listPartParameters,
  before: param(optional(text), 'Only changes before this time.', { example: '2026-04-01' }),
});

/** functions/bugs/README.md 2.8. */
export const possibleDuplicatesQuery = parameters({
  summary: param(optional(text), 'The summary of a bug.', { required: true, example: 'The moon is blurry' }),
  products: param(texts, 'Names of the products whose bugs are compared; none: of all.', {
    example: ['Telescope'],
  }),
  limit: param(optional(text), 'At most so many, up to 25.', { type: () => z.int(), example: 5 }),
});

/** functions/bugs/README.md 7. */
export const requestsQuery = parameters({
  requester: param(optional(text), 'The login of who set the flag; `%user%`: of the caller.'),
  requestee: param(optional(text), 'The login of who is asked; `%user%`: of the caller, `-`: nobody.', {
    example: 'dev@bugless.example',
  }),
  do_union: param(optional(boolean), 'Whether one of `requester` and `requestee` is enough.'),
  type: param(optional(text), 'The name of a flag type; `all`: any.', { example: 'needinfo' }),
  status: param(optional(text), '`?`, `+`, `-`, `+-` or `all`; `?` by default.', { example: '?' }),
  group: param(
    optional(text),
    'What they are ordered by, before their times: `requestee` (the default), `requester`, `category` or `type`.',
  ),
});

/** functions/bugs/README.md 5.1. */
export const fieldQuery = parameters({
  names: param(texts, 'Internal names of further fields.', { example: ['priority'] }),
  ids: param(texts, 'Ids of further fields.'),
});

/**
 * The product whose values are listed, of a field that depends on it; in the path or here. functions/bugs/README.md
 * 5.2.
 */
export const valuesQuery = parameters({
  product_id: param(z._default(text, ''), 'The id of a product, for a field that depends on it.', {
    example: '1',
  }),
});

const atSpaces = (given: string): string[] => given.split(/[\s,]+/);

/** Only a text is divided, no element of a list. */
const dividedTexts = z.pipe(
  z.transform((given: unknown): unknown =>
    typeof given === 'string' ? atSpaces(given).filter(Boolean) : given,
  ),
  texts,
);

/** A new bug's list: all of it is added. */
const added = (elements: z.ZodMiniType<string[]>, split: (given: string) => string[]) =>
  z.pipe(
    elements,
    z.transform((given): ListUpdate => ({ add: given.flatMap(split).filter(Boolean), remove: [] })),
  );

/** The lists of a new bug, made once: to make parsers is a large part of a cold start. */
const ADDED = {
  comma: added(texts, (one) => one.split(',')),
  'comma or space': added(texts, atSpaces),
  text: added(dividedTexts, (one) => [one]),
} satisfies Record<GivenList['separators'], unknown>;

const NO_LIST_UPDATE = 'it must be an object such as {"add": ["a"], "remove": ["b"]}';
/** Elements to add and to remove; other keys are ignored. */
const listChange = z.object({ add: texts, remove: texts }, NO_LIST_UPDATE);
/** The same, or all elements there are to be. */
const updateOf = (elements: typeof texts | typeof dividedTexts) =>
  z.object({ add: elements, remove: elements, set: z.optional(elements) }, NO_LIST_UPDATE);
const listUpdate = updateOf(texts);
/** Keywords or bugs. */
const dividedUpdate = updateOf(dividedTexts);

const isListChange = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !(given instanceof RepeatedValue);

/** An alias may come as a text or list: then it stands for all of them; null for none. */
const aliasUpdate = z.pipe(
  z.transform((given: unknown): unknown => (isListChange(given) ? given : { set: given ?? [] })),
  listUpdate,
);

const SCALARS = { boolean, decimal, text };

/**
 * How a field is read. Null is the default of a new bug, and blank in an update, and where Bugzilla requires a value of a new
 * bug.
 */
function fieldParser(field: BugField, mode: 'created' | 'updated'): z.ZodMiniType {
  const { given } = kindOf(field);
  const isNew = mode === 'created';
  if (typeof given === 'string') {
    return isNew && field.created !== 'required' ? optional(SCALARS[given]) : nullAsBlank(SCALARS[given]);
  }
  if (isNew) return optional(ADDED[given.separators]);
  if (!given.canBeSet) return optional(listChange);
  return given.separators === 'text' ? z.optional(aliasUpdate) : optional(dividedUpdate);
}

type FieldShape<R extends CreatedRow | UpdatedRow> = {
  [P in R as P['rest']]: Parameter<z.ZodMiniType<Given<P['kind']> | undefined>>;
};

const RIGHT_TEXTS: Readonly<Record<string, string>> = {
  editors: 'Only for users in `editbugs`.',
  timetrackers: 'Only for time trackers.',
};

const EXAMPLES: Readonly<Record<string, { created?: string; updated?: string }>> = {
  product: { created: 'Telescope' },
  component: { created: 'Lens' },
  summary: { created: 'The moon is blurry at the edges' },
  version: { created: '2.0' },
  status: { updated: 'RESOLVED' },
  resolution: { updated: 'FIXED' },
};

/** The parameter of a new bug, or of an update, that is a field. */
function fieldParameter(field: BugField, mode: 'created' | 'updated'): Parameter {
  const { given, texts } = kindOf(field);
  const { both, update } = texts;
  const right = mode === 'created' || field[mode] === 'timetrackers' ? RIGHT_TEXTS[field[mode] ?? ''] : '';
  const parts = [field.description, both, mode === 'updated' ? update : '', right];
  const example = EXAMPLES[field.rest ?? '']?.[mode];
  return param(fieldParser(field, mode), parts.filter(Boolean).join(' '), {
    ...(mode === 'created' && field.isMandatory ? { required: true } : {}),
    ...(example === undefined ? {} : { example }),
    ...(given === 'decimal' ? { type: () => z.number() } : {}),
  });
}

/** The parameters of a new bug, or of an update, that are fields, by the names of the interface. */
function fieldShape(mode: 'created'): FieldShape<CreatedRow>;
function fieldShape(mode: 'updated'): FieldShape<UpdatedRow>;
function fieldShape(mode: 'created' | 'updated'): object {
  const given = BUILT_IN_FIELDS.filter((field) => (field[mode] ?? 'ignored') !== 'ignored');
  return Object.fromEntries(given.map((field) => [field.rest, fieldParameter(field, mode)]));
}

/** What a bug is created from. What is required is checked with errors of its own. functions/bugs/README.md 4.1. */
export const newBug = parameters({
  ...fieldShape('created'),
  default_version: param(optional(text), 'What is taken where `version` is absent.'),
  ...descriptionParameters,
  comment_tags: param(texts, 'Tags for the description. Takes the group of comment taggers.'),
  flags: givenFlags,
});

/** What may come with a new bug beside its fields, but is not taken. */
export const IGNORED_OF_NEW_BUG = ['actual_time', 'type', 'attachment_id'];

/** Bugs of one update: more cannot be written at once anyway. */
export const MAX_UPDATED_BUGS = 50;

/** What an update changes. functions/bugs/README.md 4.2. */
export const bugUpdate = parameters({
  ids: param(texts, `Ids or aliases of further bugs, at most ${MAX_UPDATED_BUGS}.`),
  ...fieldShape('updated'),
  comment: commentParameter,
  comment_is_private: param(
    optional(z.record(z.string(), boolean)),
    'Whether comments are private, by their ids. Takes being an insider.',
  ),
  comment_tags: param(texts, 'Tags for the comment that is added. Takes the group of comment taggers.'),
  flags: givenFlags,
  reset_assigned_to: param(
    optional(boolean),
    "Whether the component's default assignee becomes the assignee.",
  ),
  reset_qa_contact: param(
    optional(boolean),
    "Whether the component's default QA contact becomes the QA contact.",
  ),
  work_time: param(nullAsBlank(decimal), 'Hours to add to those worked. Only for time trackers.', {
    type: () => z.number(),
  }),
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
  // To make a schema takes longer than to parse with it.
  if (given.length === 0) return new Map();
  const schema = z.object(Object.fromEntries(given.map(([name, value]) => [name, customParser(value)])));
  return new Map(Object.entries(parseParameters(schema, parameters)));
}
