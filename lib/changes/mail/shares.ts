import * as z from 'zod/mini';

/** How many mails were sent in an hour. */
export const mailHourItem = z.catchall(
  z.object({
    /** by everybody */
    sent: z.int(),
    /** seconds since 1970 */
    expires_at: z.int(),
  }),
  // By users, and by users and bugs: mails, and when some began to wait; and the key.
  z.union([z.int(), z.string()]),
);
export type MailHour = z.infer<typeof mailHourItem>;

/** Who made a change, and its bug. */
export interface Sharers {
  /** id */
  user: number;
  /** id */
  bug: number;
}

/**
 * What makes mails wait: the limit of the hour; what the hour has released so far; other users who had fewer mails in it; other bugs
 * of the user that had fewer.
 */
type Limit = 'hour' | 'pace' | 'user' | 'bug';

/** How many mails of a change may be sent now. */
export type Room = ReturnType<typeof roomIn>;

/** A quarter of the hour's mails is released at its beginning, the others evenly until minute 45. */
const FIRST_SHARE = 1 / 4;
const RELEASED_AFTER_MS = 45 * 60_000;
/** Of what is released, a tenth is for changes with so few mails, which so never wait behind large ones. */
const SMALL_CHANGE = 10;
const KEPT_FOR_SMALL = 10;
/** Mails that a user, or a bug, may get ahead of others that wait, as a part of the hour. */
const TURN = 1 / 200;
/** Mails that wait ask again after some minutes; what has not asked for so long waits no longer. */
const WAITING_SECONDS = 15 * 60;

/** So that the item of the hour stays below 16 KB. */
const MAX_COUNTERS = 400;
/** Users and bugs beyond that count together, and have no turns. */
const COMMON_COUNTERS = 50;

const HOUR_MS = 3_600_000;

/** The mails of an hour that are released at a time. */
function releasedAt(now: Date, perHour: number): number {
  const passed = Math.min(1, (now.getTime() % HOUR_MS) / RELEASED_AFTER_MS);
  return Math.max(1, Math.floor(perHour * (FIRST_SHARE + (1 - FIRST_SHARE) * passed)));
}

/**
 * How many mails of a change may be sent in an hour: a fair queue over users, and within users over bugs. Of those that wait, who
 * had least in the hour goes first, so that shares fall as more ask. functions/mail/README.md 3
 *
 * @param hour what was sent in it
 * @param wanted mails of the change, at least one
 * @param perHour mails of an hour
 */
export function roomIn(
  hour: MailHour,
  { user, bug }: Sharers,
  { wanted, perHour, now }: { wanted: number; perHour: number; now: Date },
) {
  const numberOf = (name: string) => Number(hour[name] ?? 0);
  const isCounted = `user_${user}` in hour || Object.keys(hour).length < MAX_COUNTERS;
  const own = isCounted
    ? { user: `user_${user}`, pair: `pair_${user}_${bug}` }
    : { user: `users_${user % COMMON_COUNTERS}`, pair: `pairs_${bug % COMMON_COUNTERS}` };
  const released = releasedAt(now, perHour);
  const kept = wanted <= SMALL_CHANGE || released === perHour ? 0 : Math.floor(released / KEPT_FOR_SMALL);
  const turn = Math.max(1, Math.floor(perHour * TURN));
  const since = now.getTime() / 1_000 - WAITING_SECONDS;
  const others = Object.keys(hour).flatMap((name) => {
    const [, otherUser, otherBug] = /^wait_(\d+)_(\d+)$/.exec(name)?.map(Number) ?? [];
    return otherUser === undefined || numberOf(name) < since ? [] : [{ user: otherUser, bug: otherBug }];
  });
  /** The most that a number may be, where others that wait have these. */
  const ahead = (counts: readonly number[]) =>
    counts.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...counts) + turn;
  const ofUsers = others.filter((one) => one.user !== user).map((one) => numberOf(`user_${one.user}`));
  const ofBugs = others
    .filter((one) => one.user === user && one.bug !== bug)
    .map((one) => numberOf(`pair_${user}_${one.bug}`));
  const limits: { limit: Limit; name: string; max: number }[] = [
    { limit: released === perHour ? 'hour' : 'pace', name: 'sent', max: released - kept },
    { limit: 'user', name: own.user, max: ahead(ofUsers) },
    { limit: 'bug', name: own.pair, max: ahead(ofBugs) },
  ];
  const left = limits.map((one) => ({ ...one, left: Math.max(0, one.max - numberOf(one.name)) }));
  const [least] = left.toSorted((a, b) => a.left - b.left);
  const count = Math.min(wanted, least?.left ?? 0);
  return {
    count,
    /** the numbers of the hour that count them, with the most that they may be */
    counters: limits.map(({ name, max }) => ({ name, max: Math.min(max, numberOf(name) + count + perHour) })),
    /** the attribute that says that mails of the user and the bug wait */
    waiting: `wait_${user}_${bug}`,
    /** why there are not more; undefined: there are as many as wanted */
    limit: count < wanted ? least?.limit : undefined,
  };
}
