import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { portions } from '../../base/collections.ts';
import { bytes } from '../../base/text.ts';
import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import { retry } from '../../table/retry.ts';
import type { PublishedChange } from './change.ts';
import { type BugEvent, EVENT_SOURCE, INTERNAL_SOURCE, INTERNAL_TYPES, typeOf } from './event.ts';
import { isTemporary } from './temporary-errors.ts';
import { webhookSource } from './webhooks.ts';

/** An event as the bus gets it. */
export interface BusEntry {
  source: string;
  type: string;
  /** JSON */
  detail: string;
}

/**
 * An event for the bus.
 *
 * @param webhook the name of the only webhook that is to get it; absent: all that match
 */
export const entryOf = (event: BugEvent, webhook?: string): BusEntry => ({
  source: webhook === undefined ? EVENT_SOURCE : webhookSource(webhook),
  type: typeOf(event),
  detail: eventText(event),
});

/** Where the function `mail` finds a change. */
export const internalEntry = (bug: PublishedChange['bug']['id'], change: LoggedChange): BusEntry => ({
  source: INTERNAL_SOURCE,
  type: INTERNAL_TYPES.change,
  detail: JSON.stringify({ bug, change }),
});

/** EventBridge takes ten events in a call. */
const MAX_ENTRIES = 10;
/** How long events that EventBridge refuses for the moment are sent again. */
const RETRY_MS = 10_000;
/** A call that hangs must end before the function does, which has 60 seconds. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** EventBridge refused an event of a call, with this code as the name of the error. */
class EventRefused extends Error {
  constructor(code: string) {
    super('EventBridge refused an event');
    this.name = code;
  }
}

const sizeOf = ({ source, type, detail }: BusEntry) => bytes(source) + bytes(type) + bytes(detail);

export type EventBus = ReturnType<typeof eventBus>;

/**
 * The event bus.
 *
 * @param endpoint URL of EventBridge; absent: AWS
 */
export function eventBus(name: string, endpoint?: string) {
  const client = new EventBridgeClient({
    requestHandler: TIMEOUTS,
    ...(endpoint === undefined ? {} : { endpoint }),
  });

  /** @returns those that EventBridge refused for the moment. @throws EventRefused for another reason */
  async function putOnce(entries: readonly BusEntry[]): Promise<BusEntry[]> {
    const command = new PutEventsCommand({
      Entries: entries.map(({ source, type, detail }) => ({
        ...{ EventBusName: name, Source: source, DetailType: type, Detail: detail },
      })),
    });
    const { FailedEntryCount = 0, Entries = [] } = await client.send(command);
    if (FailedEntryCount === 0) return [];
    const refused = Entries.flatMap(({ ErrorCode = [] }) => ErrorCode).map((code) => new EventRefused(code));
    const final = refused.find((error) => !isTemporary(error));
    if (final !== undefined) throw final;
    return entries.filter((_, index) => Entries[index]?.EventId === undefined);
  }

  return {
    /**
     * Puts events on the bus, in their order, in as few calls as their sizes allow.
     *
     * @throws RetriesExhausted when EventBridge refuses some for too long; EventRefused when it refuses one for what it is;
     *   errors of the SDK
     */
    async put(entries: readonly BusEntry[]): Promise<void> {
      const calls = portions(entries, { max: MAX_ENTRIES }, { max: MAX_EVENT_BYTES, sizeOf });
      for (const call of calls) {
        let left: BusEntry[] = call;
        await retry(RETRY_MS, async () => {
          left = await putOnce(left);
          return left.length === 0
            ? { done: true, value: undefined }
            : { done: false, reason: `EventBridge refused ${left.length} events` };
        });
      }
    },
  };
}

/** Of a text in an event, in bytes of its JSON. functions/events/README.md 2 */
const MAX_EVENT_TEXT_BYTES = 16_384;
/** Of an event: EventBridge takes 256 KB for all events of a call, with their names. */
export const MAX_EVENT_BYTES = 250_000;

/** Of texts in bytes of their JSON, and of the elements of lists. */
interface Limit {
  text: number;
  list: number;
}

/**
 * The limits of an event, and stricter ones. Names stay whole, by which rules select: the last ones are stricter for custom
 * fields alone, of which a bug may have hundreds.
 */
const LIMITS: readonly (Limit & { custom?: Limit })[] = [
  { text: MAX_EVENT_TEXT_BYTES, list: Number.POSITIVE_INFINITY },
  { text: 4_096, list: 1_000 },
  { text: 1_024, list: 200 },
  { text: 512, list: 20 },
  { text: 512, list: 20, custom: { text: 64, list: 2 } },
  { text: 512, list: 20, custom: { text: 0, list: 0 } },
];

/**
 * An event as JSON, of a size that EventBridge takes: longer texts are cut, and what they belong to has `truncated`. Where
 * that is not enough, because the bug has very many of them, texts and lists are cut shorter.
 */
export function eventText(event: BugEvent): string {
  let text = '';
  for (const limit of LIMITS) {
    text = JSON.stringify(withLimit(event, limit));
    if (bytes(text) <= MAX_EVENT_BYTES) break;
  }
  return text;
}

function withLimit({ bug, event, ...rest }: BugEvent, limit: (typeof LIMITS)[number]): BugEvent {
  const cutter = cutTexts(limit);
  const custom = limit.custom === undefined ? cutter : cutTexts(limit.custom);
  const cutterOf = (field: string) => (isCustomName(field) ? custom : cutter);
  const { changes } = event;
  const shown = Object.fromEntries(
    Object.entries(bug).map(([name, value]) => [
      name,
      name === 'comment' ? limitPart(value, limit) : cutterOf(name).cutAll(value),
    ]),
  );
  const cutChanges = changes?.slice(0, limit.list).map(({ field, removed, added }) => ({
    ...{ field, removed: cutterOf(field).cut(removed), added: cutterOf(field).cut(added) },
  }));
  const isCut = cutter.hasCut() || custom.hasCut() || cutChanges?.length !== changes?.length;
  return {
    ...rest,
    event: cutChanges === undefined ? event : { ...event, changes: cutChanges },
    bug: { ...shown, id: bug.id, is_private: bug.is_private, ...(isCut ? { truncated: true } : {}) },
  };
}

const isCustomName = (field: string): boolean => field.startsWith('cf_');

/** A comment, which says by itself whether it is cut. */
function limitPart(comment: unknown, limit: Limit): unknown {
  const cutter = cutTexts(limit);
  const limited = cutter.cutAll(comment);
  return cutter.hasCut() && typeof limited === 'object' ? { ...limited, truncated: true } : limited;
}

/** Bytes of a character in JSON. */
const jsonBytes = (character: string): number => bytes(JSON.stringify(character)) - 2;

/** What a UTF-16 code unit takes in JSON at most: `\u0001`. */
const MAX_UNIT_BYTES = 6;

function cutTexts({ text: max, list }: Limit) {
  let hasCut = false;
  const sizes = new Map<string, number>();
  function cut(text: string): string {
    if (text.length * MAX_UNIT_BYTES <= max) return text;
    // Characters of a text are few different ones.
    let [length, size] = [0, 0];
    for (const character of text) {
      const known = sizes.get(character) ?? jsonBytes(character);
      sizes.set(character, known);
      size += known;
      if (size > max) {
        hasCut = true;
        return text.slice(0, length);
      }
      length += character.length;
    }
    return text;
  }
  function cutAll(value: unknown): unknown {
    if (typeof value === 'string') return cut(value);
    if (Array.isArray(value)) {
      if (value.length > list) hasCut = true;
      return value.slice(0, list).map(cutAll);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutAll(one)]));
  }
  return { cut, cutAll, hasCut: () => hasCut };
}
