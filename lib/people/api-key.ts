import { randomInt } from 'node:crypto';

/** The length and alphabet of Bugzilla's API keys. */
const LENGTH = 40;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What the secrets of sessions begin with: keys of people have neither dashes nor this length. */
const SESSION_PREFIX = 'session-';

/** Whether a secret is that of a session. */
export const isSessionSecret = (secret: string): boolean => secret.startsWith(SESSION_PREFIX);

/** The secret of a new session. */
export const newSessionSecret = (): string => `${SESSION_PREFIX}${newApiKey()}`;

/** A random API key. */
export function newApiKey(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The first characters of a key's hash, by which lists and commands name it. */
export const shownHash = (hash: string): string => hash.slice(0, 12);
