import { randomBytes, timingSafeEqual } from 'node:crypto';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { conditionHeld } from '../table/errors.ts';
import { knownBrowserKey, signInHourKey, signInKey } from '../table/keys.ts';
import { readItem } from '../table/read.ts';
import { type Action, PRESENT, updateItem } from '../table/write.ts';
import { hashOf } from './repository.ts';
import {
  DEFAULT_SIGN_IN_LIMITS,
  knownBrowserItem,
  type SignInLimits,
  signInHourItem,
  signInItem,
} from './schema.ts';

/** How long a code of a mail is valid. */
export const CODE_VALID_SECONDS = 15 * 60;
/** Wrong codes after which a code is void. */
const MAX_WRONG = 5;
const HOUR_SECONDS = 60 * 60;

/** How long it is known that a user has signed in in a browser. */
const BROWSER_SECONDS = 400 * 24 * 60 * 60;

/**
 * Of an hour: mails for an account, those from one source address, and those that are asked for in browsers in which its owner has
 * signed in, which count apart from all others; and invitations.
 */
const LIMITS = { account: 20, pair: 5, known: 5, invitations: 500 } as const;
/** A sign-in that was asked for. */
export interface AskedSignIn {
  /** id of the user */
  user: number;
  /** in its stored spelling */
  login: string;
  /** hexadecimal SHA-256 of the verifier that the page keeps */
  challenge: string;
  /** what tells source addresses apart */
  source: string;
  /** hexadecimal SHA-256 of the secret of a browser in which somebody has signed in; undefined: it has none */
  browser: string | undefined;
  /** id of the message that asks for it */
  message: string;
}

/** A number of an hour, and the most that it may be. */
interface Counter {
  name: string;
  max: number;
}

/** Digits of the hash of a source address that tell the addresses of an hour apart. */
const SOURCE_DIGITS = 16;

/** What became of a mail that was to be counted: `limited`: a limit of the account or the address is reached; `all`: a share of all. */
type CountOutcome = 'counted' | 'limited' | 'all';

/**
 * Whether an hour has room for a mail for signing in. Two thirds of its mails are for browsers in which the owner has not signed in:
 * half of these for accounts that got none in the hour.
 *
 * @param hour what was counted in it, by name
 * @param asked `source`: what tells source addresses apart; `isKnown`: whether the owner has signed in in the browser
 * @returns the numbers that count the mail, or which limit is reached
 */
export function roomFor(
  hour: Readonly<Record<string, number>>,
  { user, source, isKnown }: { user: number; source: string; isKnown: boolean },
  { perHour, perSource }: SignInLimits,
): { counters: readonly Counter[] } | { limit: Exclude<CountOutcome, 'counted'> } {
  const isFull = ({ name, max }: Counter) => (hour[name] ?? 0) >= max;
  const ofSource = hashOf(source).slice(0, SOURCE_DIGITS);
  const ofAccount = { name: `user_${user}`, max: LIMITS.account };
  const isFirst = !(ofAccount.name in hour);
  const maxNew = Math.ceil((perHour * 2) / 3);
  const all = { name: 'all', max: perHour };
  const shared = isKnown
    ? [all]
    : [
        all,
        { name: 'new', max: maxNew },
        ...(isFirst ? [] : [{ name: 'again', max: Math.ceil(maxNew / 2) }]),
      ];
  const own = isKnown
    ? [{ name: `known_${user}`, max: LIMITS.known }]
    : [
        ofAccount,
        { name: `source_${ofSource}`, max: perSource },
        { name: `pair_${user}_${ofSource}`, max: LIMITS.pair },
      ];
  if (own.some(isFull)) return { limit: 'limited' };
  return shared.some(isFull) ? { limit: 'all' } : { counters: [...shared, ...own] };
}

export type SignInRepository = ReturnType<typeof signInRepository>;

/** Reads and writes what was asked for by sign-in by mail, and how often. */
export function signInRepository(table: Table, limits = DEFAULT_SIGN_IN_LIMITS) {
  const seconds = () => Math.floor(table.now().getTime() / 1_000);
  /** `YYYY-MM-DDThh` */
  const hour = () => table.now().toISOString().slice(0, 13);
  /** Whether a user has signed in in the browser that asks. */
  async function isKnown({ login, browser }: AskedSignIn): Promise<boolean> {
    const known = browser && (await readItem(table, knownBrowserKey(browser), knownBrowserItem));
    return known !== undefined && known !== '' && known.login === login && known.expires_at > seconds();
  }

  return {
    /**
     * Counts a mail for signing in, unless a limit of the hour is reached. What is asked for in a browser in which the owner has
     * signed in counts to a share of its own, which other requests do not use up.
     */
    async count(asked: AskedSignIn): Promise<CountOutcome> {
      const browser = { user: asked.user, source: asked.source, isKnown: await isKnown(asked) };
      for (;;) {
        const counted = await readItem(table, signInHourKey(hour()), signInHourItem);
        const room = roomFor(counted ?? {}, browser, limits);
        if ('limit' in room) return room.limit;
        // Otherwise another mail was counted meanwhile.
        if (await countEach(room.counters)) return 'counted';
      }
    },

    /** The secret of a browser in which a user signs in, and the transaction action that remembers it. */
    rememberBrowser(login: string): { browser: string; action: Action } {
      const browser = randomBytes(24).toString('base64url');
      const item = { login, expires_at: seconds() + BROWSER_SECONDS };
      return { browser, action: { put: { ...knownBrowserKey(hashOf(browser)), ...item } } };
    },

    /** Counts an invitation of this hour. @returns false where the limit is reached */
    countInvitation: (): Promise<boolean> => countEach([{ name: 'invitations', max: LIMITS.invitations }]),

    /**
     * Stores the code of a mail. A message that comes twice gets another code; nothing else replaces a code.
     *
     * @returns false where another message has asked with the challenge
     */
    store: ({ login, challenge, message }: AskedSignIn, code: string): Promise<boolean> =>
      conditionHeld(
        updateItem(table, {
          update: signInKey(challenge),
          set: 'SET login = :login, message_id = :message, code_hash = :code, wrong = :none, expires_at = :end',
          condition: 'attribute_not_exists(pk) OR message_id = :message',
          values: {
            ':login': login,
            ':message': message,
            ':code': hashOf(code),
            ':none': 0,
            ':end': seconds() + CODE_VALID_SECONDS,
          },
        }),
      ),

    /**
     * Checks a code.
     *
     * @returns the login, and the transaction action that uses the code up; its condition fails where that was done meanwhile
     * @throws BugzillaError signInCodeWrong
     */
    async check(challenge: string, code: string): Promise<{ login: string; use: Action }> {
      const stored = await readItem(table, signInKey(challenge), signInItem);
      const isValid =
        stored !== undefined &&
        stored.expires_at > seconds() &&
        stored.wrong < MAX_WRONG &&
        timingSafeEqual(Buffer.from(stored.code_hash), Buffer.from(hashOf(code)));
      if (!isValid) {
        // Also where nothing was asked for, or mailed: the time of the response does not tell whether there is an account.
        // It is counted also where several are tried at once.
        const count = { update: signInKey(challenge), set: 'ADD wrong :one', values: { ':one': 1 } };
        await conditionHeld(updateItem(table, { ...count, condition: PRESENT }));
        throw errors.signInCodeWrong();
      }
      const { login, code_hash } = stored;
      const use: Action = {
        remove: signInKey(challenge),
        condition: 'code_hash = :code AND wrong < :max',
        values: { ':code': code_hash, ':max': MAX_WRONG },
      };
      return { login, use };
    },
  };

  /** Adds one to counters of the hour, in one update. @returns false where one of them is at its limit: nothing was counted */
  function countEach(counters: readonly Counter[]): Promise<boolean> {
    const names = Object.fromEntries(counters.map(({ name }, at) => [`#c${at}`, name]));
    const placeholders = Object.keys(names);
    const maxima = Object.fromEntries(counters.map(({ max }, at) => [`:m${at}`, max]));
    return conditionHeld(
      updateItem(table, {
        update: signInHourKey(hour()),
        set: `SET expires_at = :end ADD ${placeholders.map((name) => `${name} :one`).join(', ')}`,
        condition: placeholders
          .map((name, at) => `(attribute_not_exists(${name}) OR ${name} < :m${at})`)
          .join(' AND '),
        names,
        values: { ...maxima, ':one': 1, ':end': seconds() + 2 * HOUR_SECONDS },
      }),
    );
  }
}
