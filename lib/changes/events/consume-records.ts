import * as z from 'zod/mini';
import { mapConcurrent } from '../../base/collections.ts';
import { type LoggedChange, loggedEvents } from '../../bugs/change-log/logged-change.ts';
import { bugOfChangeKey, timeOfChangeKey } from '../../table/keys.ts';
import { withDeadline } from '../../table/retry.ts';
import { buildEvents } from './build-events.ts';
import { type BusEntry, type EventBus, entryOf, internalEntry } from './bus.ts';
import { type EventRepositories, readChange } from './change.ts';
import type { DeliveryLog, LogContext } from './delivery-log.ts';
import { isTemporary } from './temporary-errors.ts';

const text = z.object({ S: z.string() });

const Keys = z.object({ pk: text, sk: text });

/** The key of an entry of the change log, as the stream has it. */
export const keyedRecord = z.object({ dynamodb: z.object({ Keys }) });

/** An entry of the change log, as the stream has it. */
const streamRecord = z.object({ dynamodb: z.object({ Keys, NewImage: z.object({ events: text }) }) });

/** When a record was written: seconds since 1970, or a date where it comes from the SDK. */
const datedRecord = z.object({
  dynamodb: z.object({ ApproximateCreationDateTime: z.union([z.number(), z.date()]) }),
});

/**
 * The change that a record of the stream names.
 *
 * @param context gets the bug and its revision, as far as they can be read
 * @throws ZodError or SyntaxError when it is not an entry of the change log that says what the change did
 */
export function loggedChangeOf(
  record: unknown,
  context: Partial<LogContext> = {},
): { bug: number; change: LoggedChange } {
  const { Keys: keys, NewImage } = streamRecord.parse(record).dynamodb;
  const sk = keys.sk.S;
  const bug = bugOfChangeKey({ sk });
  if (Number.isInteger(bug)) context.bug = bug;
  const change = loggedEvents.parse(JSON.parse(NewImage.events.S));
  context.revision = change.revision;
  if (change.request !== undefined) context.request_id = change.request;
  return { bug, change: { ...change, time: change.time ?? timeOfChangeKey({ sk }) } };
}

/** What the function `events` works with. */
export interface RecordServices {
  sources: EventRepositories;
  bus: EventBus;
  /** whether changes are mailed */
  isMailed: boolean;
  now: () => Date;
  /** retry budget of the reads of a batch in milliseconds */
  timeoutMs: number;
  /** Keeps a record that cannot become events. */
  keepFailed(record: unknown, cause: unknown): Promise<void>;
  log: DeliveryLog;
  /** how often changes have failed in this process, by their names, which Lambda does not say; it is changed */
  failures: Map<string, number>;
}

/** A record, and what becomes of it. */
interface Prepared {
  record: unknown;
  context: LogContext;
  /** of the events, without what is for the function `mail` */
  count: number;
  /** `isUnreadable`: the record itself cannot be read, at any time */
  outcome: { entries: BusEntry[] } | { error: unknown; isUnreadable?: boolean };
}

/** So long a record that fails for another reason than those of the moment is tried again, and the others wait. */
const SET_ASIDE_MS = 15 * 60 * 1_000;
/** A record that cannot be read is set aside at this attempt: no time changes it. */
const UNREADABLE_ATTEMPTS = 3;
/** Of what is remembered about failures. */
const MAX_FAILED_RECORDS = 1_000;

/**
 * Puts the events of the records of a stream on the bus, in their order. What fails for a reason of the moment (isTemporary)
 * is left, with all that follows, until Lambda sends it again; so is another failure, until the record is 15 minutes old, or cannot
 * be read at the third attempt: then it is set aside, and the others go on. functions/events/README.md 1
 *
 * @param records of one shard, in their order
 * @returns the number of records that are done
 */
export async function consumeRecords(records: readonly unknown[], services: RecordServices): Promise<number> {
  const { bus, failures, log } = services;
  const prepared = await prepareAll(records, services);
  const [first] = prepared;
  // What failed before is put alone: else the others of its call would be sent each time that it fails.
  let together = first !== undefined && failures.has(failureKey(first)) ? 1 : records.length;
  let done = 0;
  while (done < prepared.length) {
    const left = prepared.slice(done);
    const failed = left.findIndex(({ outcome }) => 'error' in outcome);
    const ready = left.slice(0, failed === -1 ? together : Math.min(failed, together));
    if (ready.length === 0) {
      if (!(await setAside(left, services))) return done;
      done += 1;
      continue;
    }
    try {
      await bus.put(ready.flatMap(({ outcome }) => ('entries' in outcome ? outcome.entries : [])));
      for (const one of ready) {
        log.count('EventsSent', one.count);
        failures.delete(failureKey(one));
      }
      done += ready.length;
    } catch (error) {
      const [only] = ready;
      if (only === undefined || isTemporary(error)) {
        reportWaiting(left, error, services);
        return done;
      }
      // One of them was refused for what it is: the others must not wait for it.
      if (ready.length === 1) only.outcome = { error };
      together = 1;
    }
  }
  return done;
}

/**
 * Sets a record aside that fails for what it is, and is old enough.
 *
 * @param left the record, and those behind it
 * @returns whether the others go on
 */
async function setAside(left: readonly Prepared[], services: RecordServices): Promise<boolean> {
  const [prepared] = left;
  if (prepared === undefined || !('error' in prepared.outcome)) return true;
  const { error, isUnreadable = false } = prepared.outcome;
  const attempt = (services.failures.get(failureKey(prepared)) ?? 0) + 1;
  const isOver =
    services.now().getTime() - writtenAt(prepared.record) >= SET_ASIDE_MS ||
    (isUnreadable && attempt >= UNREADABLE_ATTEMPTS);
  if (isTemporary(error) || !isOver) {
    reportWaiting(left, error, services);
    return false;
  }
  try {
    await services.keepFailed(prepared.record, error);
  } catch (failure) {
    reportWaiting(left, failure, services);
    return false;
  }
  services.log.count('EventsRefused');
  services.log.failed('A record of the stream cannot become events', attempted(prepared, services), error);
  services.failures.delete(failureKey(prepared));
  return true;
}

/** When a record was written, in milliseconds since 1970; unknown: long ago. */
function writtenAt(record: unknown): number {
  const { data } = datedRecord.safeParse(record);
  if (data === undefined) return 0;
  const time = data.dynamodb.ApproximateCreationDateTime;
  return typeof time === 'number' ? time * 1_000 : time.getTime();
}

/** Says which change the others wait for, once a minute. */
function reportWaiting(waiting: readonly Prepared[], error: unknown, services: RecordServices): void {
  const [first] = waiting;
  if (first === undefined) return;
  services.log.count('EventsRefused', waiting.length);
  services.log.failing('Changes cannot become events now', attempted(first, services), error);
}

/** The name of a change in this process; of a record that cannot be read, its text. */
const failureKey = ({ record, context: { bug, revision } }: Prepared): string =>
  revision === undefined ? JSON.stringify(record) : `${bug} ${revision}`;

/** The log context of a change that failed, with the number of this attempt. */
function attempted(prepared: Prepared, { failures }: RecordServices): LogContext {
  const attempt = (failures.get(failureKey(prepared)) ?? 0) + 1;
  if (failures.size >= MAX_FAILED_RECORDS) failures.clear();
  failures.set(failureKey(prepared), attempt);
  return { ...prepared.context, attempt };
}

/** Reads what records name, some at a time; none any more after a failure of the moment, because they wait for it. */
async function prepareAll(records: readonly unknown[], services: RecordServices): Promise<Prepared[]> {
  let isOver = false;
  const prepared = await withDeadline(services.timeoutMs, () =>
    mapConcurrent(records, async (record) => {
      if (isOver) return undefined;
      const one = await prepare(record, services);
      if ('error' in one.outcome && isTemporary(one.outcome.error)) isOver = true;
      return one;
    }),
  );
  const end = prepared.indexOf(undefined);
  return prepared.slice(0, end === -1 ? prepared.length : end).filter((one) => one !== undefined);
}

async function prepare(record: unknown, { sources, isMailed }: RecordServices): Promise<Prepared> {
  const context: LogContext = { attempt: 1 };
  let isUnreadable = true;
  try {
    const { bug, change } = loggedChangeOf(record, context);
    isUnreadable = false;
    const read = await readChange(bug, change, sources);
    if (read === undefined) return { record, context, count: 0, outcome: { entries: [] } };
    const entries = buildEvents(read).map((event) => entryOf(event));
    const all = isMailed ? [...entries, internalEntry(bug, change)] : entries;
    return { record, context, count: entries.length, outcome: { entries: all } };
  } catch (error) {
    return { record, context, count: 0, outcome: { error, isUnreadable } };
  }
}
