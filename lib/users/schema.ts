import * as z from 'zod/mini';

/** A user. */
export const userItem = z.object({
  id: z.int(),
  login: z.string(),
  real_name: z.string(),
  groups: z.array(z.string()),
  /** why the account is disabled; absent: it is not */
  disabled: z.optional(z.string()),
});
export type UserItem = z.infer<typeof userItem>;

/** A user as stored at its own key. */
export const storedUserItem = z.extend(userItem, {
  /** how often the user, or one of the user's API keys, was written; in tables of before that was counted: 0 */
  revision: z._default(z.int(), 0),
});

/** An API key with what authentication needs of its user, so that one read does. */
export const apiKeyItem = z.object({
  user: userItem,
  revoked: z.boolean(),
});

/** An API key among its user's, for listing; the key itself is nowhere. */
export const userApiKeyItem = z.object({
  hash: z.string(),
  description: z.string(),
  revoked: z.boolean(),
});
export type UserApiKeyItem = z.infer<typeof userApiKeyItem>;

/** What finding users needs of each, and no more. */
export const userIndexItem = z.object({
  id: z.int(),
  login: z.string(),
  real_name: z.string(),
  is_disabled: z.boolean(),
});
export type UserIndexEntry = z.infer<typeof userIndexItem>;

export const userIdItem = z.object({ login: z.string() });

/** A token of a login: stands for the API key that was the password. */
export const tokenItem = z.object({
  api_key_hash: z.string(),
  expires_at: z.int(),
});

/** Pointer from a group's id to the group. */
export const groupIdItem = z.object({ name: z.string() });

export const groupItem = z.object({ id: z.int(), name: z.string(), description: z.string() });
export type GroupItem = z.infer<typeof groupItem>;
