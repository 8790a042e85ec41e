import * as z from 'zod/mini';
import { loggedChange } from '../bugs/store/logged-change.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { bugOfChangeKey, timeOfChangeKey } from '../dynamodb/keys.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { buildEvents } from './build-events.ts';
import { type BusEntry, type EventBus, entryOf, internalEntry } from './bus.ts';
import { type ChangeSources, type DatedLoggedChange, readChange } from './change.ts';
import type { DeliveryLog, LoggedPlace } from './delivery-log.ts';

const text = z.object({ S: z.string() });

/** An entry of the change log, as the stream has it. */
const streamRecord = z.object({
  dynamodb: z.object({ Keys: z.object({ pk: text, sk: text }), NewImage: z.object({ events: text }) }),
});

/** What a record of the stream names. @param place gets the bug and its revision, as far as they can be read */
function changeOf(record: unknown, place: LoggedPlace): { bug: number; change: DatedLoggedChange } {
  const { Keys, NewImage } = streamRecord.parse(record).dynamodb;
  const sk = Keys.sk.S;
  const bug = bugOfChangeKey({ sk });
  if (Number.isInteger(bug)) place.bug = bug;
  const change = loggedChange.parse(JSON.parse(NewImage.events.S));
  place.revision = change.revision;
  return { bug, change: { ...change, time: change.time ?? timeOfChangeKey({ sk }) } };
}

/** What the function `events` works with. */
export interface RecordServices {
  sources: ChangeSources;
  bus: EventBus;
  /** whether changes are mailed */
  isMailed: boolean;
  /** retry budget of reads in milliseconds */
  timeoutMs: number;
  /** Keeps a record that can never become events. */
  keepFailed(record: unknown, cause: unknown): Promise<void>;
  log: DeliveryLog;
  /** how often changes have failed in this process, which Lambda does not say; it is changed */
  failures: Map<string, number>;
}

/** Errors of what a record has, not of the moment: it can never become events. */
const PERMANENT: ReadonlySet<string> = new Set([
  ...['SyntaxError', 'TypeError', 'RangeError'],
  ...['$ZodError', 'ZodError', 'ValidationException'],
]);

/** Whether the same work may succeed later, when a service is back or a deployment has its rights. */
const isTemporary = (error: unknown): boolean => !(error instanceof Error && PERMANENT.has(error.name));

/** A record, and what becomes of it. */
interface Prepared {
  record: unknown;
  place: LoggedPlace;
  /** of the events, without what is for the function `mail` */
  count: number;
  outcome: { entries: BusEntry[] } | { error: unknown };
}

/**
 * Puts the events of the records of a stream on the bus, in their order. A record that fails by itself is kept, and the
 * others go on.
 *
 * @param records of one shard, in their order
 * @returns the number of records that are done: less than all of them where EventBridge or the table is unavailable
 */
export async function consumeRecords(records: readonly unknown[], services: RecordServices): Promise<number> {
  const prepared = await mapConcurrent(records, (record) => prepare(record, services));
  const stop = prepared.findIndex(({ outcome }) => 'error' in outcome && isTemporary(outcome.error));
  const ready = stop === -1 ? prepared : prepared.slice(0, stop);
  try {
    await services.bus.put(ready.flatMap(({ outcome }) => ('entries' in outcome ? outcome.entries : [])));
    for (const one of ready) await finish(one, services);
  } catch (error) {
    if (isTemporary(error)) {
      reportWaiting(prepared, error, services);
      return 0;
    }
    const [only] = prepared;
    if (only === undefined || prepared.length > 1) return consumeOneByOne(records, services);
    await keep(only, error, services);
    return 1;
  }
  const waiting = prepared.slice(ready.length);
  const [first] = waiting;
  if (first !== undefined && 'error' in first.outcome) reportWaiting(waiting, first.outcome.error, services);
  return ready.length;
}

/** One of several events was refused for what it is: the others must not wait for it. */
async function consumeOneByOne(records: readonly unknown[], services: RecordServices): Promise<number> {
  for (const [index, record] of records.entries()) {
    if ((await consumeRecords([record], services)) === 0) return index;
  }
  return records.length;
}

/** Counts the events of a record that were put on the bus, or keeps the record that became none. */
async function finish(prepared: Prepared, services: RecordServices): Promise<void> {
  if ('error' in prepared.outcome) return keep(prepared, prepared.outcome.error, services);
  services.log.count('EventsSent', prepared.count);
  services.failures.delete(nameOf(prepared));
}

async function keep(prepared: Prepared, error: unknown, services: RecordServices): Promise<void> {
  const { log, keepFailed } = services;
  log.count('EventsRefused');
  log.failed('A record of the stream cannot become events', attempted(prepared, services), error);
  await keepFailed(prepared.record, error);
  services.failures.delete(nameOf(prepared));
}

/** Says which change the others wait for. */
function reportWaiting(waiting: readonly Prepared[], error: unknown, services: RecordServices): void {
  const [first] = waiting;
  if (first === undefined) return;
  services.log.count('EventsRefused', waiting.length);
  services.log.failed('Changes cannot become events now', attempted(first, services), error);
}

const nameOf = ({ place: { bug, revision } }: Prepared): string => `${bug} ${revision}`;

/** The place of a change that failed, with the number of this attempt. */
function attempted(prepared: Prepared, { failures }: RecordServices): LoggedPlace {
  const attempt = (failures.get(nameOf(prepared)) ?? 0) + 1;
  failures.set(nameOf(prepared), attempt);
  return { ...prepared.place, attempt };
}

async function prepare(record: unknown, { sources, isMailed, timeoutMs }: RecordServices): Promise<Prepared> {
  const place: LoggedPlace = { attempt: 1 };
  try {
    const { bug, change } = changeOf(record, place);
    const read = await withDeadline(timeoutMs, () => readChange(bug, change, sources));
    if (read === undefined) return { record, place, count: 0, outcome: { entries: [] } };
    const entries = buildEvents(read).map((event) => entryOf(event));
    const all = isMailed ? [...entries, internalEntry(bug, change)] : entries;
    return { record, place, count: entries.length, outcome: { entries: all } };
  } catch (error) {
    return { record, place, count: 0, outcome: { error } };
  }
}
