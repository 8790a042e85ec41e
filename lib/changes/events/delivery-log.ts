import { machineTime } from '../../base/time.ts';
import { embeddedMetrics, lineOf, loggedError, writeLine } from '../../logger.ts';

/** The metrics of the functions `events` and `mail`. infra/OPERATING.md, "Observability" */
export type DeliveryMetric =
  | 'EventsSent'
  | 'EventsRefused'
  | 'MailsSent'
  | 'MailsDelayed'
  | 'MailsLate'
  | 'MailsRefused'
  | 'MailsUndeliverable'
  | 'ChangesOverLimit'
  | 'SignInsOverLimit';

/** What a line of the log is about. */
export interface LogContext {
  /** absent: the message or the record cannot be read */
  bug?: number;
  /** of the bug, after the change */
  revision?: number;
  /** how often the change has been tried */
  attempt: number;
  /** id of the request that made the change; absent: it is not known */
  request_id?: string;
}

/** Why mails of a change wait. */
export interface LoggedPause {
  /** what is used up: of the hour, its pace, or the share of the user or the bug */
  limit: 'hour' | 'pace' | 'user' | 'bug';
  /** id of who made the change */
  user: number;
  /** how many mails wait */
  number: number;
  /** when they are tried again, ISO 8601 */
  until: string;
}

export type DeliveryLog = ReturnType<typeof deliveryLog>;

/**
 * The namespace of the metrics of a stack. They have no dimensions, so the stack's name is in it.
 *
 * @param service the stack's name
 */
export const deliveryNamespace = (service: string): string => `Bugless/${service}`;

/**
 * Opens the log and the metrics of the functions that tell others of changes: lines of JSON, and the embedded metric format.
 *
 * @param options `hasMetrics`: whether metrics are written
 */
export function deliveryLog(
  service: string,
  { hasMetrics = true, now = machineTime }: { hasMetrics?: boolean; now?: () => Date } = {},
) {
  const counted = new Map<DeliveryMetric, number>();
  const isDue = onceAMinute(now);
  /** Writes a line about a failure: without values of bugs and addresses, which may be in `cause`. */
  function failed(message: string, context: LogContext, cause: unknown): void {
    const timestamp = now().toISOString();
    const error = loggedError(withoutValues(cause));
    writeLine({ ...lineOf('ERROR', message, service), timestamp, ...context, error });
  }

  return {
    /** Counts something until the metrics are published. */
    count(metric: DeliveryMetric, number = 1): void {
      counted.set(metric, (counted.get(metric) ?? 0) + number);
    },
    failed,
    /** Writes a line about what fails again and again, at most once a minute for a message and the name of its cause. */
    failing(message: string, context: LogContext, cause: unknown): void {
      if (isDue(`${message} ${cause instanceof Error ? cause.name : ''}`)) failed(message, context, cause);
    },
    /** Writes a line about mails that wait, at most once a minute for a user and a limit. */
    paused(message: string, context: LogContext, pause: LoggedPause): void {
      if (!isDue(`${message} ${pause.user} ${pause.limit}`)) return;
      const timestamp = now().toISOString();
      writeLine({ ...lineOf('WARN', message, service), timestamp, ...context, ...pause });
    },
    /** Writes the metrics, where something was counted. */
    publish(): void {
      if (counted.size === 0) return;
      const values = Object.fromEntries(counted);
      const metrics = [...counted.keys()].map((Name) => ({ Name }));
      counted.clear();
      if (!hasMetrics) return;
      // Without a set of dimensions, CloudWatch would make no metric: this is the empty one.
      const embedded = embeddedMetrics(deliveryNamespace(service), now().getTime(), {
        metrics,
        dimensions: [],
      });
      writeLine({ ...lineOf('INFO', 'metrics', service), ...values, ...embedded });
    },
  };
}

const ADDRESS = /[^\s@"'<>:,;]+@[^\s@"'<>,;]+/g;
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

/**
 * An error as it may be logged: the message of a service of AWS without addresses and quoted values. Those of other errors
 * may have any part of what was read, and are left out.
 */
export function withoutValues(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error('unknown');
  const origin = cause.cause instanceof Error && '$metadata' in cause.cause ? cause.cause : cause;
  const text = '$metadata' in origin ? origin.message : '';
  const shown = new Error(text.replaceAll(QUOTED, '…').replaceAll(ADDRESS, '…'));
  shown.name = origin.name;
  const frames = (origin.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  shown.stack = [`${shown.name}: ${shown.message}`, ...frames].join('\n');
  return shown;
}

const MINUTE_MS = 60_000;
/** Of what is remembered: then it is forgotten, and may be said again. */
const MAX_REMEMBERED_NAMES = 1_000;

/**
 * Whether something is to be said again: the first time, and a minute after it was said last, in this process.
 *
 * @returns a function that gets a name of what is said
 */
function onceAMinute(now: () => Date): (what: string) => boolean {
  const said = new Map<string, number>();
  return (what) => {
    const time = now().getTime();
    const last = said.get(what);
    if (last !== undefined && time - last < MINUTE_MS) return false;
    if (said.size >= MAX_REMEMBERED_NAMES) said.clear();
    said.set(what, time);
    return true;
  };
}
