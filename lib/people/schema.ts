import * as z from 'zod/mini';
import { mailOff } from './mail-preferences.ts';

/** Why an imported user cannot log in: until the first API key is created. Mails are sent. */
export const IMPORTED = 'Imported, without an API key. An administrator can create one.';

/**
 * The same of a user of whom the import could not ask whether the Bugzilla sends mails: until the first API key is created,
 * none are sent.
 */
export const IMPORTED_UNMAILED =
  'Imported, without an API key; gets no mails before there is one. An administrator can create it.';

export const userItem = z.object({
  id: z.int(),
  login: z.string(),
  real_name: z.string(),
  groups: z.array(z.string()),
  /** the reason, if the account is disabled */
  disabled: z.optional(z.string()),
  /** whether mails are sent to the user; absent: true */
  email_enabled: z.optional(z.boolean()),
  /** names of the groups that the user may grant, beside those by membership; absent: none */
  bless_groups: z.optional(z.array(z.string())),
});
export type UserItem = z.infer<typeof userItem>;

/** A user as stored with what they decide about themselves; what is not given stays. */
export const withPreferences = <T extends Pick<UserItem, 'real_name' | 'email_enabled'>>(
  { email_enabled: current = true, ...user }: T,
  {
    real_name = user.real_name,
    email_enabled = current,
  }: { real_name?: string | undefined; email_enabled?: boolean | undefined },
) => ({ ...user, real_name, ...(email_enabled ? {} : { email_enabled }) });

/** A user with the preferences for mails, which the copies of API keys do not have. */
export const mailedUserItem = z.extend(userItem, {
  /** absent: all is mailed */
  mail_off: z.optional(mailOff),
});
export type MailedUser = z.infer<typeof mailedUserItem>;

/** A user as stored at its own key. */
export const storedUserItem = z.extend(mailedUserItem, {
  /** advanced when the user or one of their API keys is written; 0 for items without it */
  revision: z.int(),
});

const validity = {
  revoked: z.boolean(),
  /** of a session: seconds since 1970; absent: the key does not expire */
  expires_at: z.optional(z.int()),
};

/** An API key with a copy of its user, so that authentication takes one read. */
export const apiKeyItem = z.object({ user: userItem, ...validity });

/** An entry in the list of a user's API keys. The key itself is not stored. */
export const userApiKeyItem = z.object({
  hash: z.string(),
  description: z.string(),
  ...validity,
  /** `YYYY-MM-DDThh:mm:ssZ`; absent: not known, as of keys of versions before 1.2.0 */
  created_at: z.optional(z.string()),
  /** of a key that its owner has made: the mail about it is not on its way yet (outbox) */
  is_unmailed: z.optional(z.literal(true)),
});
export type UserApiKeyItem = z.infer<typeof userApiKeyItem>;

/** An entry of the user index: the fields that finding users and members of groups needs. */
export const userIndexItem = z.object({
  id: z.int(),
  login: z.string(),
  real_name: z.string(),
  is_disabled: z.boolean(),
  /** absent: none, as most users have */
  groups: z.optional(z.array(z.string())),
});
export type UserIndexEntry = z.infer<typeof userIndexItem>;

/** What lists of people show of a user. */
export type ShownUser = Pick<UserItem, 'id' | 'login' | 'real_name'>;

export const userIdItem = z.object({ login: z.string() });

/** A login token: a reference to the API key that was the password. */
export const tokenItem = z.object({
  api_key_hash: z.string(),
  expires_at: z.int(),
});

/** A sign-in by mail that was asked for, and whose mail was made. */
export const signInItem = z.object({
  /** in its stored spelling */
  login: z.string(),
  /** id of the message that asked for it */
  message_id: z.string(),
  /** hexadecimal SHA-256 of the code in the mail */
  code_hash: z.string(),
  /** codes that were wrong */
  wrong: z.int(),
  /** seconds since 1970 */
  expires_at: z.int(),
});

/** Mails of an hour for signing in. functions/account/README.md 1 */
export interface SignInLimits {
  /** in all */
  perHour: number;
  /** that browsers without an earlier sign-in ask for at one source address */
  perSource: number;
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = { perHour: 300, perSource: 100 };

/** A browser in which a user has signed in. Its secret is no credential. */
export const knownBrowserItem = z.object({
  /** in its stored spelling */
  login: z.string(),
  /** seconds since 1970 */
  expires_at: z.int(),
});

/** Mails of an hour for signing in, by the names of what they count to. */
export const signInHourItem = z.pipe(
  // Among others `all`, `new` and `again`: see roomFor; `invitations`; `expires_at`: seconds since 1970; and the key.
  z.record(z.string(), z.union([z.int(), z.string()])),
  z.transform((item) =>
    Object.fromEntries(
      Object.entries(item).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
    ),
  ),
);

/** Pointer from the id of a group to its name. */
export const groupIdItem = z.object({ name: z.string() });

export const groupItem = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** kept for clients, without effect; absent: true */
  is_active: z.optional(z.boolean()),
  /** kept for clients, without effect: no user becomes a member by it; absent: none */
  user_regexp: z.optional(z.string()),
  /** names of the groups to which its members belong, too, as those of these groups do; absent: none, as of versions before 1.3.0 */
  member_of: z.optional(z.array(z.string())),
  /** names of the groups that its members may grant; absent: none */
  bless_groups: z.optional(z.array(z.string())),
  /** names of the groups whose members its members may see, kept without effect; absent: none */
  visible_groups: z.optional(z.array(z.string())),
});
/** The names of other groups that a group has. */
export const GROUP_RELATIONS = ['member_of', 'bless_groups', 'visible_groups'] as const;
export type GroupItem = z.infer<typeof groupItem>;

// Imports before 1.3.0 disabled users until the first API key: these users are still in tables.

/** Whether a user was imported and waits for an API key, rather than being disabled. */
export const awaitsKey = (disabled: string | undefined): boolean =>
  disabled === IMPORTED || disabled === IMPORTED_UNMAILED;

/**
 * Whether a user may sign in by mail: enabled ones, and those who are disabled only because they were imported, not those whose
 * state the import could not ask.
 *
 * @returns the reason why not; undefined: the user may
 */
export const signInProblem = ({ disabled }: UserItem, allowsImported: boolean): string | undefined =>
  disabled === IMPORTED && allowsImported ? undefined : disabled;
