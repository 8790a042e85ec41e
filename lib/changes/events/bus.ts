import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { portions } from '../../base/collections.ts';
import { retry } from '../../base/retry.ts';
import { bytes } from '../../base/text.ts';
import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import type { PublishedChange } from './change.ts';
import { type BugEvent, EVENT_SOURCE, INTERNAL_SOURCE, INTERNAL_TYPES, typeOf } from './event.ts';
import { eventText, MAX_EVENT_BYTES } from './limit-texts.ts';
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
