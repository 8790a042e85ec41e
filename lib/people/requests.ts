import * as z from 'zod/mini';
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
import { MAX_REAL_NAME_LENGTH } from './validation.ts';

const REAL_NAME = `At most ${MAX_REAL_NAME_LENGTH} characters.`;
const ids = { type: () => z.array(z.int()) };

/** functions/README.md 8. */
export const validLoginQuery = parameters({
  login: param(optional(text), 'A login.', { required: true, example: 'dev@bugless.example' }),
});

/** functions/README.md 8. */
export const whoamiQuery = parameters({
  product: param(optional(text), 'The name of a product: the rights have those for it, too.', {
    example: 'Telescope',
  }),
});

/** The users that a request names, or a part of whose login or name it gives, or who are in groups. functions/README.md 8. */
export const userQuery = parameters({
  ids: param(texts, 'Ids of users.', { ...ids, example: [2] }),
  names: param(texts, 'Logins.', { example: ['dev@bugless.example'] }),
  match: param(
    z.optional(texts),
    'Parts of logins or names, of at least 3 characters; a whole login; or a pattern with `*` for any characters.',
    { example: ['dev'] },
  ),
  limit: param(optional(text), 'The maximum number of matching users; 0 and absent mean 100.', {
    type: () => z.int().check(z.gte(0)),
  }),
  include_disabled: param(optional(boolean), 'Whether disabled users match.'),
  groups: param(
    texts,
    'Only users in one of these groups, of which the caller is a member, unless an administrator of users; alone it lists the members.',
  ),
  group_ids: param(texts, 'The same by the ids of groups.'),
});
export type UserQuery = z.infer<typeof userQuery>;

/** functions/administration/README.md 3. */
export const newUser = parameters({
  email: param(withDefault(text, ''), 'The login, an email address.', {
    required: true,
    example: 'new@bugless.example',
  }),
  full_name: param(withDefault(text, ''), REAL_NAME, { example: 'Nina New' }),
  password: param(
    withDefault(text, ''),
    'At least 6 characters; checked, but not stored: there are no passwords.',
  ),
});
export type NewUser = z.infer<typeof newUser>;

const groupList = z.optional(
  z.object(
    { add: texts, remove: texts, set: z.optional(texts) },
    'it must be an object with add, remove or set',
  ),
);

/** functions/administration/README.md 3. */
export const userUpdate = parameters({
  ids: param(texts, 'Ids of further users.', ids),
  names: param(texts, 'Names of further users.'),
  email: param(nullAsBlank(text), 'Logins stand in bugs, so another one is an error.'),
  full_name: param(nullAsBlank(text), REAL_NAME, { example: 'Dev Developer' }),
  password: param(
    nullAsBlank(text),
    'At least 6 characters; checked, but not stored: there are no passwords.',
  ),
  email_enabled: param(
    nullAsBlank(boolean),
    'Whether mails are sent to the user, where the deployment sends some.',
  ),
  login_denied_text: param(nullAsBlank(text), 'Why the account is disabled; empty: it is not.'),
  groups: param(groupList, 'Groups to `add` and to `remove`, or all (`set`), by names or ids.'),
  bless_groups: param(groupList, 'Likewise the groups that the user may grant; kept without effect.'),
});
export type UserUpdate = Omit<z.infer<typeof userUpdate>, 'ids' | 'names'>;

/** functions/administration/README.md 4. */
export const groupQuery = parameters({
  ids: param(z.optional(texts), 'Ids of groups.', { ...ids, example: [1] }),
  names: param(z.optional(texts), 'Names of groups, ignoring case.', { example: ['timetrackers'] }),
  membership: param(optional(boolean), 'Whether to list the members.'),
});

const name = param(nullAsBlank(text), 'At most 255 characters.', { example: 'translators' });
const description = param(nullAsBlank(text), 'What it is for.', { example: 'Translators' });
const groupFields = {
  user_regexp: param(nullAsBlank(text), 'A regular expression, kept without effect.'),
  is_active: param(nullAsBlank(boolean), 'Kept without effect. Default of a new group: `false`.'),
  icon_url: param(optional(text), 'Ignored.'),
};

/** functions/administration/README.md 4. */
export const newGroup = parameters({
  name: { ...name, required: true },
  description: { ...description, required: true },
  ...groupFields,
});
export type GroupUpdate = Partial<Omit<z.infer<typeof newGroup>, 'icon_url'>>;

/** functions/administration/README.md 4. */
export const groupUpdate = parameters({
  ids: param(texts, 'Ids of further groups.', ids),
  names: param(texts, 'Names of further groups.'),
  name: param(nullAsBlank(text), 'Another name is an error.'),
  description,
  ...groupFields,
});
