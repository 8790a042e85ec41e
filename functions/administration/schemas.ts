import * as z from 'zod/mini';
import { flag, nullAsBlank, optional, text, texts, withDefault } from '../../lib/http/parameters.ts';

/** The component of the flag types of a product. */
export const flagTypeQuery = z.object({ component: optional(text) });

/** Things that are named by ids and names beside the path. */
export const namedQuery = z.object({ ids: texts, names: texts });

const places = z.optional(
  z
    .array(z.union([z.string(), z.record(z.string(), texts)], 'it must list names, or objects of names'))
    .check(z.maxLength(1_000, 'it has more than 1,000 elements')),
);

const flagTypeFields = {
  name: nullAsBlank(text),
  description: nullAsBlank(text),
  cc_list: nullAsBlank(text),
  sortkey: nullAsBlank(text),
  is_active: nullAsBlank(flag),
  is_requestable: nullAsBlank(flag),
  is_specifically_requestable: nullAsBlank(flag),
  is_multiplicable: nullAsBlank(flag),
  grant_group: nullAsBlank(text),
  request_group: nullAsBlank(text),
  inclusions: places,
  exclusions: places,
};
export const newFlagType = z.object({
  ...flagTypeFields,
  sortkey: optional(text),
  is_active: optional(flag),
  is_requestable: optional(flag),
  is_specifically_requestable: optional(flag),
  is_multiplicable: optional(flag),
  target_type: optional(text),
});
export const flagTypeUpdate = z.object({ ids: texts, names: texts, ...flagTypeFields });

export const newComponent = z.object({
  product: withDefault(text, ''),
  name: withDefault(text, ''),
  description: withDefault(text, ''),
  default_assignee: withDefault(text, ''),
  default_qa_contact: withDefault(text, ''),
  default_cc: texts,
  is_open: optional(flag),
  /** Bugzilla's internal name of is_open */
  isactive: optional(flag),
});

export const newUser = z.object({
  email: withDefault(text, ''),
  full_name: withDefault(text, ''),
  password: withDefault(text, ''),
});

const groupList = z.optional(
  z.object(
    { add: texts, remove: texts, set: z.optional(texts) },
    'it must be an object with add, remove or set',
  ),
);
export const userUpdate = z.object({
  ids: texts,
  names: texts,
  email: nullAsBlank(text),
  full_name: nullAsBlank(text),
  password: nullAsBlank(text),
  email_enabled: nullAsBlank(flag),
  login_denied_text: nullAsBlank(text),
  groups: groupList,
  bless_groups: groupList,
});

export const groupQuery = z.object({
  ids: z.optional(texts),
  names: z.optional(texts),
  membership: optional(flag),
});

const groupFields = {
  name: nullAsBlank(text),
  description: nullAsBlank(text),
  user_regexp: nullAsBlank(text),
  is_active: nullAsBlank(flag),
};
export const newGroup = z.object({
  ...groupFields,
  /** not stored: nothing shows icons of groups */
  icon_url: optional(text),
});
export const groupUpdate = z.object({ ids: texts, names: texts, ...groupFields, icon_url: optional(text) });

export const visitQuery = z.object({ ids: texts });
