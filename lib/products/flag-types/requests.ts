import * as z from 'zod/mini';
import { boolean, nullAsBlank, optional, param, parameters, text, texts } from '../../base/parameters.ts';
import { MAX_FLAG_TYPE_NAME_LENGTH } from '../schema.ts';

/** The component of the flag types of a product. functions/administration/README.md 1. */
export const flagTypeQuery = parameters({
  component: param(optional(text), 'The name of the component, where the path does not have one.'),
});

const SCOPE_FORM = 'it must list names, or objects of names';
const scope = z.optional(
  z
    .array(z.union([z.string(), z.record(z.string(), texts)], SCOPE_FORM), SCOPE_FORM)
    .check(z.maxLength(1_000, 'it has more than 1,000 elements')),
);

const name = param(
  nullAsBlank(text),
  `At most ${MAX_FLAG_TYPE_NAME_LENGTH} characters, without white space and commas.`,
  {
    example: 'review',
  },
);
const description = param(nullAsBlank(text), 'What it is for.', {
  example: 'Somebody has to look at this',
});

/** The fields of a flag type; null is the default of a new one, and blank in an update. */
const fieldsWith = <T extends z.ZodMiniType, F extends z.ZodMiniType>(texts: T, flags: F) => ({
  cc_list: param(
    nullAsBlank(text),
    'Email addresses, separated by commas: they get the mails about flags of this type, where the deployment sends some.',
  ),
  sortkey: param(texts, 'From 0 to 32767. Default: 1.', { type: () => z.int() }),
  is_active: param(flags, 'Whether new flags can be set. Default: `true`.'),
  is_requestable: param(flags, 'Whether it can be `?`. Default: `true`.'),
  is_specifically_requestable: param(flags, 'Whether flags of it can have a requestee. Default: `true`.'),
  is_multiplicable: param(flags, 'Whether there can be several. Default: `true`.'),
  grant_group: param(nullAsBlank(text), 'The group that may set `+` and `-`; empty: everyone.'),
  request_group: param(nullAsBlank(text), 'The group that may set `?`; empty: everyone.'),
  inclusions: param(
    scope,
    'Products, or objects of products with components: `["Observatory", {"Telescope": ["Mount"]}]`. Empty or absent in a new type: all products that the caller has access to.',
  ),
  exclusions: param(scope, 'Likewise, where it is not available.'),
});

/** functions/administration/README.md 1. */
export const newFlagType = parameters({
  name: { ...name, required: true },
  description: { ...description, required: true },
  ...fieldsWith(optional(text), optional(boolean)),
  target_type: param(optional(text), 'What it is set on. Default: `bug`.', {
    type: () => z.enum(['bug', 'attachment']),
    example: 'bug',
  }),
});

/** functions/administration/README.md 1. */
export const flagTypeUpdate = parameters({
  ids: param(texts, 'Ids of further flag types.', { type: () => z.array(z.int()) }),
  names: param(texts, 'Names of further flag types.'),
  name,
  description,
  ...fieldsWith(nullAsBlank(text), nullAsBlank(boolean)),
});
export type FlagTypeUpdate = Partial<Omit<z.infer<typeof flagTypeUpdate>, 'ids' | 'names'>>;
