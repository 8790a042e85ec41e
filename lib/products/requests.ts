import * as z from 'zod/mini';
import { MAX_NAME_LENGTH } from '../base/names.ts';
import {
  boolean,
  nullAsBlank,
  optional,
  param,
  parameters,
  text,
  texts,
  withDefault,
} from '../base/parameters.ts';
import { CONTROLS, type GroupControl, groupControl, type UpdatableField } from './schema.ts';

/** functions/README.md 4.3. */
export const productQuery = parameters({
  ids: param(texts, 'Ids of products. Unknown ids are ignored.', {
    type: () => z.array(z.int()),
    example: [1, 2],
  }),
  names: param(texts, 'Names of products, ignoring case.', { example: ['Telescope'] }),
  type: param(
    texts,
    'Types of products: those that the caller can select (in a search), enter bugs against, or either; several types are combined with OR. With ids or names it filters them. Default: `accessible`.',
    { type: () => z.array(z.enum(['accessible', 'selectable', 'enterable'])), example: ['enterable'] },
  ),
});

const TEMPLATE =
  'What the description of a new bug begins with on the page, at most 20,000 bytes; empty: nothing. Bugzilla 5.2 does not know it.';

/**
 * functions/README.md 4.4. Required parameters have errors of their own; parameters that have the name of a field and need
 * no check are stored as they are given, or with their default.
 */
export const newProduct = parameters({
  name: param(optional(text), `At most ${MAX_NAME_LENGTH} characters, unique ignoring case.`, {
    required: true,
    example: 'Rocket',
  }),
  description: param(optional(text), 'May be simple HTML.', { required: true, example: 'To the moon' }),
  version: param(optional(text), `The first version, at most ${MAX_NAME_LENGTH} characters.`, {
    required: true,
    example: '1.0',
  }),
  has_unconfirmed: param(withDefault(boolean, true), 'Whether bugs may be UNCONFIRMED. Default: `true`.'),
  classification: param(optional(text), 'The name of a classification. Default: `Unclassified`.'),
  description_template: param(optional(text), TEMPLATE),
  default_milestone: param(
    optional(text),
    `The first milestone, at most ${MAX_NAME_LENGTH} characters. Default: the setting DEFAULT_MILESTONE.`,
  ),
  is_open: param(withDefault(boolean, true), 'Whether bugs may be entered. Default: `true`.'),
  create_series: param(optional(boolean), 'Ignored: there are no charts.'),
});

/** Parameters of an update that set a field of the same name. */
const newValues = {
  name: param(nullAsBlank(text), 'A new name, for one product only.'),
  default_milestone: param(nullAsBlank(text), 'The name of a milestone that each of the products has.'),
  description: param(nullAsBlank(text), 'A new description.', { example: 'To the moon and back' }),
  has_unconfirmed: param(nullAsBlank(boolean), 'Whether bugs may be UNCONFIRMED.'),
  description_template: param(nullAsBlank(text), TEMPLATE, { example: 'Steps:\n\nExpected:\n' }),
  is_active: param(nullAsBlank(boolean), 'Another name of `is_open`, which takes precedence.'),
} satisfies Record<UpdatableField, unknown>;

/** functions/README.md 4.5. */
export const productUpdate = parameters({
  ids: param(texts, 'Ids of further products.', { type: () => z.array(z.int()) }),
  names: param(texts, 'Names of further products, ignoring case.'),
  ...newValues,
  is_open: param(nullAsBlank(boolean), 'Whether bugs may be entered.', { example: true }),
});

/** functions/administration/README.md 2. */
export const newComponent = parameters({
  product: param(withDefault(text, ''), 'The name of the product.', { required: true, example: 'Telescope' }),
  name: param(
    withDefault(text, ''),
    `At most ${MAX_NAME_LENGTH} characters, unique in the product ignoring case.`,
    { required: true, example: 'Mirror' },
  ),
  description: param(withDefault(text, ''), 'What it is.', { required: true, example: 'The primary mirror' }),
  default_assignee: param(withDefault(text, ''), 'A login.', {
    required: true,
    example: 'dev@bugless.example',
  }),
  default_qa_contact: param(withDefault(text, ''), 'A login.'),
  default_cc: param(texts, 'Logins that new bugs have on CC.'),
  is_open: param(optional(boolean), 'Whether bugs may be entered. Default: `true`.'),
  isactive: param(optional(boolean), 'Another name of `is_open`, which takes precedence.'),
});

const sortKey = 'From 0 to 99999: lower ones come first.';

/** functions/administration/README.md 2. */
export const componentUpdate = parameters({
  product: param(withDefault(text, ''), 'The name of the product, where the path does not have it.', {
    example: 'Telescope',
  }),
  component: param(withDefault(text, ''), 'The name of the component, where the path does not have it.', {
    example: 'Mount',
  }),
  name: param(
    nullAsBlank(text),
    `A new name: at most ${MAX_NAME_LENGTH} characters, unique in the product ignoring case.`,
  ),
  description: param(nullAsBlank(text), 'A new description.', { example: 'The primary mirror' }),
  default_assignee: param(nullAsBlank(text), 'A login.'),
  default_qa_contact: param(nullAsBlank(text), 'A login; empty: none.'),
  default_cc: param(z.optional(texts), 'All logins that new bugs have on CC.', {
    type: () => z.array(z.string()),
  }),
  sort_key: param(nullAsBlank(text), sortKey, { type: () => z.int() }),
  is_open: param(nullAsBlank(boolean), 'Whether bugs may be entered.'),
  isactive: param(nullAsBlank(boolean), 'Another name of `is_open`, which it precedes.'),
  is_active: param(nullAsBlank(boolean), 'Another name of `is_open`, which it precedes.'),
});

/** Of a version or a milestone. functions/administration/README.md 2. */
export const newRelease = parameters({
  product: param(withDefault(text, ''), 'The name of the product.', { required: true, example: 'Telescope' }),
  name: param(
    withDefault(text, ''),
    `At most ${MAX_NAME_LENGTH} characters, unique in the product ignoring case.`,
    { required: true, example: '3.0' },
  ),
  sort_key: param(optional(text), `${sortKey} Default: 0.`, { type: () => z.int() }),
  is_active: param(optional(boolean), 'Whether bugs may get it. Default: `true`.'),
});

/** Of a version or a milestone. functions/administration/README.md 2. */
export const releaseUpdate = parameters({
  sort_key: param(nullAsBlank(text), sortKey, { type: () => z.int() }),
  is_active: param(nullAsBlank(boolean), 'Whether bugs may get it.', { example: false }),
});

/** Classifications beside that of the path. functions/administration/README.md 5. */
export const classificationQuery = parameters({
  ids: param(texts, 'Ids of further classifications.', { type: () => z.array(z.int()) }),
  names: param(texts, 'Names of further classifications.'),
});

const control = z.optional(z.enum(CONTROLS, `it must be one of ${CONTROLS.join(', ')}`));
const controlSwitch = z.optional(boolean);
const controls = z.array(
  z.strictObject(
    {
      group: text,
      membercontrol: control,
      othercontrol: control,
      entry: controlSwitch,
      canedit: controlSwitch,
      editcomponents: controlSwitch,
      editbugs: controlSwitch,
      canconfirm: controlSwitch,
    } satisfies Record<keyof GroupControl, z.ZodMiniType>,
    'it has more than a group, membercontrol, othercontrol and switches',
  ),
);
export type GivenControl = z.output<typeof controls>[number];

/** Group controls of one request. */
const MAX_CONTROLS_A_REQUEST = 100;

/** functions/administration/README.md 9. */
export const groupControlsUpdate = parameters({
  group_controls: param(
    controls.check(
      z.maxLength(MAX_CONTROLS_A_REQUEST, `it has more than ${MAX_CONTROLS_A_REQUEST} elements`),
    ),
    'What changes, each with its `group`; what is absent of it stays; `othercontrol` is that of `membercontrol` where this is `NA` or `MANDATORY`. Other groups stay. One that says nothing any more is removed.',
    {
      required: true,
      type: () => z.array(z.partial(groupControl)),
      example: [{ group: 'insiders', membercontrol: 'SHOWN', othercontrol: 'MANDATORY' }],
    },
  ),
});
