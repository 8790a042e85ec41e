import { timingSafeEqual } from 'node:crypto';
import type { Table } from '../dynamodb/client.ts';
import { conditionHeld } from '../dynamodb/errors.ts';
import { signInHourKey, signInKey } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import { type Action, updateItem } from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { hashOf } from './repository.ts';
import { signInHourItem, signInItem } from './schema.ts';

/** How long a code of a mail is valid. */
export const CODE_VALID_SECONDS = 15 * 60;
/** Wrong codes after which a code is void. */
const MAX_WRONG = 5;
const HOUR_SECONDS = 60 * 60;

/**
 * Mails in an hour: for signing in to an account from one source address, to an account, from a source address, in all; and
 * invitations.
 */
const LIMITS = { pair: 5, account: 20, source: 20, all: 200, invitations: 500 } as const;

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
  /** id of the message that asks for it */
  message: string;
}

/** What became of a mail that was to be counted: `limited`: a limit of the account or the address is reached; `all`: that of all. */
type CountOutcome = 'counted' | 'limited' | 'all';

export type SignInRepository = ReturnType<typeof signInRepository>;

/** Reads and writes what was asked for by sign-in by mail, and how often. */
export function signInRepository(table: Table, now: () => Date) {
  const seconds = () => Math.floor(now().getTime() / 1_000);
  /** `YYYY-MM-DDThh` */
  const hour = () => now().toISOString().slice(0, 13);
  return {
    /** Counts a mail for signing in, unless a limit of the hour is reached. */
    async count({ user, source }: AskedSignIn): Promise<CountOutcome> {
      const ofSource = hashOf(source);
      const isCounted = await countEach([
        { name: 'all', max: LIMITS.all },
        { name: `user_${user}`, max: LIMITS.account },
        { name: `source_${ofSource}`, max: LIMITS.source },
        { name: `pair_${user}_${ofSource}`, max: LIMITS.pair },
      ]);
      if (isCounted) return 'counted';
      const { all = 0 } = (await readItem(table, signInHourKey(hour()), signInHourItem)) ?? {};
      return all >= LIMITS.all ? 'all' : 'limited';
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
        await countWrong(challenge);
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
  function countEach(counters: readonly { name: string; max: number }[]): Promise<boolean> {
    const names = Object.fromEntries(counters.map(({ name }, at) => [`#c${at}`, name]));
    const placeholders = Object.keys(names);
    const limits = Object.fromEntries(counters.map(({ max }, at) => [`:m${at}`, max]));
    return conditionHeld(
      updateItem(table, {
        update: signInHourKey(hour()),
        set: `SET expires_at = :end ADD ${placeholders.map((name) => `${name} :one`).join(', ')}`,
        condition: placeholders
          .map((name, at) => `(attribute_not_exists(${name}) OR ${name} < :m${at})`)
          .join(' AND '),
        names,
        values: { ...limits, ':one': 1, ':end': seconds() + 2 * HOUR_SECONDS },
      }),
    );
  }

  /** Counts a wrong code, also where several are tried at once; nothing where the challenge is unknown. */
  async function countWrong(challenge: string): Promise<void> {
    await conditionHeld(
      updateItem(table, {
        update: signInKey(challenge),
        set: 'ADD wrong :one',
        condition: 'attribute_exists(pk)',
        values: { ':one': 1 },
      }),
    );
  }
}
