import * as z from 'zod/mini';
import { loggedChange } from '../bugs/store/logged-change.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { bugOfChangeKey, timeOfChangeKey } from '../dynamodb/keys.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { buildEvents } from './build-events.ts';
import { type BusEntry, type EventBus, entryOf, internalEntry } from './bus.ts';
import { type ChangeSources, type DatedLoggedChange, readChange } from './change.ts';

const text = z.object({ S: z.string() });

/** An entry of the change log, as the stream has it. */
const streamRecord = z.object({
  dynamodb: z.object({ Keys: z.object({ pk: text, sk: text }), NewImage: z.object({ events: text }) }),
});

/** What a record of the stream names. */
function changeOf(record: unknown): { bug: number; change: DatedLoggedChange } {
  const { Keys, NewImage } = streamRecord.parse(record).dynamodb;
  const change = loggedChange.parse(JSON.parse(NewImage.events.S));
  const sk = Keys.sk.S;
  return { bug: bugOfChangeKey({ sk }), change: { ...change, time: change.time ?? timeOfChangeKey({ sk }) } };
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
}

/** Errors of what a record has, not of the moment: it can never become events. */
const PERMANENT: ReadonlySet<string> = new Set([
  ...['SyntaxError', 'TypeError', 'RangeError'],
  ...['$ZodError', 'ZodError', 'ValidationException'],
]);

/** Whether the same work may succeed later, when a service is back or a deployment has its rights. */
const isTemporary = (error: unknown): boolean => !(error instanceof Error && PERMANENT.has(error.name));

/** What becomes of a record. */
type Prepared = { entries: BusEntry[] } | { error: unknown };

/**
 * Puts the events of the records of a stream on the bus, in their order. A record that fails by itself is kept, and the
 * others go on.
 *
 * @param records of one shard, in their order
 * @returns the number of records that are done: less than all of them where EventBridge or the table is unavailable
 */
export async function consumeRecords(records: readonly unknown[], services: RecordServices): Promise<number> {
  const prepared = await mapConcurrent(records, (record) => prepare(record, services));
  const stop = prepared.findIndex((one) => 'error' in one && isTemporary(one.error));
  const ready = stop === -1 ? prepared : prepared.slice(0, stop);
  try {
    await services.bus.put(ready.flatMap((one) => ('entries' in one ? one.entries : [])));
    for (const [index, one] of ready.entries()) {
      if ('error' in one) await services.keepFailed(records[index], one.error);
    }
    return ready.length;
  } catch (error) {
    if (records.length === 1 && !isTemporary(error)) {
      await services.keepFailed(records[0], error);
      return 1;
    }
    if (isTemporary(error)) return 0;
    return consumeOneByOne(records, services);
  }
}

/** One of several events was refused for what it is: the others must not wait for it. */
async function consumeOneByOne(records: readonly unknown[], services: RecordServices): Promise<number> {
  for (const [index, record] of records.entries()) {
    if ((await consumeRecords([record], services)) === 0) return index;
  }
  return records.length;
}

async function prepare(record: unknown, { sources, isMailed, timeoutMs }: RecordServices): Promise<Prepared> {
  try {
    const { bug, change } = changeOf(record);
    const read = await withDeadline(timeoutMs, () => readChange(bug, change, sources));
    if (read === undefined) return { entries: [] };
    const entries = buildEvents(read).map((event) => entryOf(event));
    return { entries: isMailed ? [...entries, internalEntry(bug, change)] : entries };
  } catch (error) {
    return { error };
  }
}
