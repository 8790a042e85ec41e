import { timestamp } from '../base/time.ts';
import { errors } from '../errors.ts';
import { retryStale } from '../table/retry.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { hashOf, isSessionSecret, newApiKey, newSessionSecret, shownHash } from './repository.ts';
import { signInProblem, type UserApiKeyItem } from './schema.ts';
import type { SignInRepository } from './sign-in-repository.ts';

/** A session is an API key that ends after 30 days; it is not renewed. */
const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** Sessions of a user; the oldest is removed for a new one. */
const MAX_SESSIONS = 20;
/** Keys of a user's own, revoked ones included. */
const MAX_KEYS_A_USER = 100;
/** Each is mailed. */
const MAX_KEYS_AN_HOUR = 10;
/** How old a session may be for making keys, in ms. */
const FRESH_MS = 60 * 60 * 1_000;

interface SessionServices {
  accounts: AccountRepository;
  signIns: SignInRepository;
  now: () => Date;
  /** whether who was imported, and has no key, signs in by mail */
  allowsImported: boolean;
}

/**
 * Exchanges the code of a mail for a session. A code is used once, and void after five wrong ones.
 *
 * @param challenge hexadecimal SHA-256 of the verifier that the page has kept
 * @returns `key`: the secret, which is shown once; `browser`: that by which a later request of this browser is known, after the
 *   session, too; `expires_at`: seconds since 1970
 * @throws BugzillaError signInCodeWrong, accountDisabled
 */
export function beginSession(
  { accounts, signIns, now, allowsImported }: SessionServices,
  challenge: string,
  code: string,
) {
  const key = newSessionSecret();
  return retryStale('the account', async () => {
    const { login, use } = await signIns.check(challenge, code);
    const account = await accounts.read(login);
    if (account === undefined) throw errors.signInCodeWrong();
    const problem = signInProblem(account.user, allowsImported);
    if (problem !== undefined) throw errors.accountDisabled(problem);
    const created_at = timestamp(now());
    const expires_at = Math.floor(now().getTime() / 1_000) + SESSION_SECONDS;
    const description = `sign-in by mail, ${created_at.slice(0, 10)}`;
    const item = { hash: hashOf(key), description, revoked: false, expires_at, created_at };
    const keys = [...withoutOldest(account, now), item];
    const { login: stored } = account.user;
    const { browser, action } = signIns.rememberBrowser(stored);
    await accounts.write(account, { user: account.user, keys }, undefined, [use, action]);
    return { login: stored, key, browser, expires_at };
  });
}

/** The keys of an account without sessions that have ended, and without the oldest where there are too many for one more. */
function withoutOldest({ keys }: StoredAccount, now: () => Date): UserApiKeyItem[] {
  const sessions = keys.flatMap(({ hash, revoked, expires_at = Number.POSITIVE_INFINITY }) =>
    Number.isFinite(expires_at) ? [{ hash, revoked, expires_at }] : [],
  );
  const valid = sessions.filter(
    ({ revoked, expires_at }) => !revoked && expires_at * 1_000 > now().getTime(),
  );
  const latest = valid.toSorted((a, b) => b.expires_at - a.expires_at).slice(0, MAX_SESSIONS - 1);
  const kept = new Set(latest.map(({ hash }) => hash));
  // One for each that is added: the others are refused, and DynamoDB removes them by their end.
  const gone = sessions.filter(({ hash }) => !kept.has(hash)).slice(0, 1);
  return keys.filter(({ hash }) => !gone.some((one) => one.hash === hash));
}

/**
 * Ends the session of a secret, never a key of a user's own.
 *
 * @throws BugzillaError sessionMissing
 */
export async function endSession(
  { accounts }: SessionServices,
  login: string,
  secret: string | undefined,
): Promise<void> {
  if (secret === undefined || !isSessionSecret(secret)) throw errors.sessionMissing();
  await revoke(accounts, login, (key) => key.hash === hashOf(secret));
}

/** An API key as its owner sees it. */
const shownKey = ({ hash, description, revoked, created_at, expires_at }: UserApiKeyItem) => ({
  /** the first characters of its hash */
  id: shownHash(hash),
  ...{ description, revoked },
  /** whether it is a session, which was made by signing in */
  is_session: expires_at !== undefined,
  created_at: created_at ?? null,
  /** `YYYY-MM-DDThh:mm:ssZ` */
  expires_at: expires_at === undefined ? null : timestamp(new Date(expires_at * 1_000)),
});
export type ShownKey = ReturnType<typeof shownKey>;

/** The API keys and sessions of a user, without sessions that have ended. */
export async function listKeys({ accounts, now }: SessionServices, login: string): Promise<ShownKey[]> {
  const account = await accounts.read(login);
  return (account?.keys ?? [])
    .filter(
      ({ revoked, expires_at }) =>
        expires_at === undefined || (!revoked && expires_at * 1_000 > now().getTime()),
    )
    .map(shownKey);
}

/**
 * Makes sure that a user may make API keys.
 *
 * @param secret of the session that asks
 * @throws BugzillaError sessionRequired without a session that began within the last hour; sessionEnded, accountDisabled,
 *   tooManyApiKeys, apiKeysTooFast
 */
async function requireFreshSession(
  services: SessionServices,
  login: string,
  secret: string | undefined,
): Promise<StoredAccount> {
  const account = await services.accounts.read(login);
  const session = account?.keys.find(({ hash }) => secret !== undefined && hash === hashOf(secret));
  const age = ({ created_at = '' }: { created_at?: string | undefined } = {}) =>
    services.now().getTime() - Date.parse(created_at);
  if (account === undefined || session?.expires_at === undefined || !(age(session) < FRESH_MS)) {
    throw errors.sessionRequired();
  }
  // Read again: the session may have been revoked, or the user disabled, since the request was authenticated.
  if (session.revoked) throw errors.sessionEnded();
  if (account.user.disabled !== undefined) throw errors.accountDisabled(account.user.disabled);
  const own = account.keys.filter(({ expires_at }) => expires_at === undefined);
  if (own.length >= MAX_KEYS_A_USER) throw errors.tooManyApiKeys(own.length);
  const recent = own.filter((key) => age(key) < FRESH_MS).length;
  if (recent >= MAX_KEYS_AN_HOUR) throw errors.apiKeysTooFast(recent);
  return account;
}

/**
 * Makes an API key for a user.
 *
 * @param secret of the session that asks for it
 * @returns the key, which is shown once
 * @throws BugzillaError as requireFreshSession; parameterInvalid for a description that breaks a rule
 */
export function createKey(
  services: SessionServices,
  login: string,
  secret: string | undefined,
  description: string,
): Promise<ShownKey & { key: string }> {
  const account = () => requireFreshSession(services, login, secret);
  return addKey(services, account, { description, is_unmailed: true }).then(({ key, item }) => ({
    ...shownKey(item),
    key,
  }));
}

/** Makes an API key for the user of an account, which is read again where it changed meanwhile. */
export const addKey = (
  { accounts, now }: Pick<SessionServices, 'accounts' | 'now'>,
  readAccount: () => Promise<StoredAccount>,
  about: Pick<UserApiKeyItem, 'description' | 'is_unmailed'>,
) =>
  retryStale('the account', async () => {
    const account = await readAccount();
    const key = newApiKey();
    const item: UserApiKeyItem = {
      hash: hashOf(key),
      revoked: false,
      created_at: timestamp(now()),
      ...about,
    };
    await accounts.write(account, { user: account.user, keys: [...account.keys, item] });
    return { user: account.user, key, item };
  });

/** A request that made a key mails it by then, in ms. */
const MAILED_MS = 60 * 1_000;

/** The keys that a user has made before, and whose mails are not on their way: the request that made them was interrupted. */
export async function unmailedKeys(
  { accounts, now }: SessionServices,
  login: string,
): Promise<UserApiKeyItem[]> {
  const { keys = [] } = (await accounts.read(login)) ?? {};
  const before = now().getTime() - MAILED_MS;
  return keys.filter(({ is_unmailed, created_at = '' }) => is_unmailed && Date.parse(created_at) < before);
}

/**
 * Revokes an API key, or a session, of a user.
 *
 * @param id as it is shown
 * @throws BugzillaError apiKeyUnknown
 */
export async function revokeKey({ accounts }: SessionServices, login: string, id: string): Promise<void> {
  const isNamed = ({ hash }: UserApiKeyItem) => shownHash(hash) === id;
  if (!(await revoke(accounts, login, isNamed))) throw errors.apiKeyUnknown(id);
}

/** Revokes the keys that are meant. @returns whether there are any */
export const revoke = (
  accounts: AccountRepository,
  login: string,
  isNamed: (key: UserApiKeyItem) => boolean,
): Promise<boolean> =>
  retryStale('the account', async () => {
    const account = await accounts.read(login);
    if (account === undefined || !account.keys.some(isNamed)) return false;
    const keys = account.keys.map((key) => (isNamed(key) ? { ...key, revoked: true } : key));
    await accounts.write(account, { user: account.user, keys });
    return true;
  });
