import * as z from 'zod/mini';

/** How many mails were sent in an hour. Versions until 1.1.0 know `sent` alone. */
export const mailHourItem = z.catchall(
  z.object({
    /** by everybody */
    sent: z.int(),
    /** seconds since 1970 */
    expires_at: z.int(),
  }),
  // By users and bugs (`user_<id>`, `bug_<id>`), and the key.
  z.union([z.int(), z.string()]),
);
export type MailHour = z.infer<typeof mailHourItem>;

/** Who made a change, and its bug: of an hour, each may take a quarter of the mails. */
export interface Sharers {
  /** id */
  user: number;
  /** id */
  bug: number;
}

/** What makes mails wait: the limit of the hour, or the share of who made the change, or of its bug. */
export type Limit = 'hour' | 'user' | 'bug';

/** How many mails of a change may be sent now. */
export interface Room {
  count: number;
  /** the numbers of the hour that count them, with the most that they may be */
  counters: readonly { name: string; max: number }[];
  /** why there are not more; undefined: there are as many as wanted */
  limit: Limit | undefined;
}

/** A share is a quarter of the hour. */
const SHARES = 4;
/** In the last ten minutes of an hour, what is left is for everybody. */
const SHARED_MINUTES = 50;
/** Of a share, a tenth is for changes with so few mails, which so never wait behind large ones. */
const SMALL_CHANGE = 10;
const KEPT_FOR_SMALL = 10;

/** So that the item of the hour stays below 10 KB. */
const MAX_COUNTERS = 400;
/** Users and bugs beyond that count together. */
const COMMON_COUNTERS = 50;

/** Whether shares hold at a time. */
const hasShares = (now: Date): boolean => now.getUTCMinutes() < SHARED_MINUTES;

/** Milliseconds until shares hold no longer in this hour. */
export const untilShared = (now: Date): number =>
  Math.max(0, SHARED_MINUTES * 60_000 - (now.getTime() % 3_600_000));

/** The number of the hour that counts the mails of a user or a bug. */
function counterOf(kind: 'user' | 'bug', id: number, hour: MailHour): string {
  const own = `${kind}_${id}`;
  const isCounted = own in hour || Object.keys(hour).length < MAX_COUNTERS;
  return isCounted ? own : `${kind}s_${id % COMMON_COUNTERS}`;
}

/**
 * How many mails of a change may be sent in an hour. functions/mail/README.md 3
 *
 * @param hour what was sent in it
 * @param wanted mails of the change, at least one
 * @param perHour mails of an hour
 */
export function roomIn(
  hour: MailHour,
  { user, bug }: Sharers,
  { wanted, perHour, now }: { wanted: number; perHour: number; now: Date },
): Room {
  const share = Math.max(1, Math.floor(perHour / SHARES));
  const kept = wanted <= SMALL_CHANGE ? 0 : Math.floor(share / KEPT_FOR_SMALL);
  const max = hasShares(now) ? share - kept : perHour;
  const limits: { limit: Limit; name: string; max: number }[] = [
    { limit: 'hour', name: 'sent', max: perHour },
    { limit: 'user', name: counterOf('user', user, hour), max },
    { limit: 'bug', name: counterOf('bug', bug, hour), max },
  ];
  const left = limits.map((one) => ({ ...one, left: Math.max(0, one.max - Number(hour[one.name] ?? 0)) }));
  const [least] = left.toSorted((a, b) => a.left - b.left);
  const count = Math.min(wanted, least?.left ?? 0);
  return {
    count,
    counters: limits.map(({ name, max: most }) => ({ name, max: most })),
    limit: count < wanted ? least?.limit : undefined,
  };
}
