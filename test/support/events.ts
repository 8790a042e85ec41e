import { afterAll } from 'vitest';
import {
  type EventTaker,
  type ReceivedEvent,
  startEventBridge,
} from '../../infra/local/events/event-bridge.ts';
import { consumeStream, enableStream, type StreamHandler } from '../../infra/local/events/stream.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { type Bugless, newTable, referenceCatalogue, serve } from './bugless.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';

/** A running Bugless whose events come to the test. */
export interface BuglessWithEvents extends Bugless {
  /** URL of the bus */
  bus: string;
  /** the events that were taken so far, in their order */
  received: ReceivedEvent[];
  /** Waits until as many events were taken, and removes them from `received`. */
  take(count: number): Promise<ReceivedEvent[]>;
  /** Decides about each event before it is taken; by default all are. */
  faults: { take: EventTaker };
  /** Wraps the function `events`. */
  wrap(handler: (next: StreamHandler) => StreamHandler): void;
}

let instances = 0;

/** Starts Bugless with the stream of its table, the function `events` and a bus. */
export async function startBuglessWithEvents(
  catalogue: CatalogueSource = referenceCatalogue(),
  settings: Record<string, string> = {},
): Promise<BuglessWithEvents> {
  const cleanup = new AsyncDisposableStack();
  afterAll(() => cleanup.disposeAsync());
  const table = await newTable(catalogue);
  const arn = await enableStream(table);
  const received: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  const faults: BuglessWithEvents['faults'] = { take: () => undefined };
  const bus = await startEventBridge((event) => {
    const refused = faults.take(event);
    if (refused === undefined) {
      received.push(event);
      for (const wake of waiting) wake();
    }
    return refused;
  }, cleanup);
  const handler = await loadEvents({ TABLE_NAME: table.name, EVENTS_ENDPOINT: bus, ...settings });
  let current = handler;
  const report = (message: string, cause: unknown) => console.error(message, cause);
  await consumeStream(
    { arn, endpoint: dynamoDbEndpoint() },
    'LATEST',
    (records) => current(records),
    cleanup,
    report,
  );
  const bugless = await serve(table, { EVENTS: 'true', ...settings });
  async function take(count: number): Promise<ReceivedEvent[]> {
    while (received.length < count) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
    return received.splice(0, count);
  }
  return {
    ...{ ...bugless, bus, received, take, faults },
    wrap: (wrapper) => {
      current = wrapper(handler);
    },
  };
}

/** The function `events` with these settings. */
async function loadEvents(settings: Record<string, string>): Promise<StreamHandler> {
  instances += 1;
  const environment: Record<string, string> = {
    DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
    EVENT_BUS_NAME: 'test',
    DATABASE_REQUEST_TIMEOUT_MS: '60000',
    ...settings,
  };
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  try {
    const index = new URL(`../../functions/events/index.ts?instance=${instances}`, import.meta.url);
    const { handler } = await import(/* @vite-ignore */ index.href);
    return async (Records) => {
      const { batchItemFailures } = await handler({ Records });
      return batchItemFailures.map(({ itemIdentifier }: { itemIdentifier: string }) => itemIdentifier);
    };
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
