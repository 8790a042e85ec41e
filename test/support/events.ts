import { consumer } from '../../functions/events/consumer.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import {
  type EventTaker,
  type ReceivedEvent,
  startEventBridge,
} from '../../infra/local/events/event-bridge.ts';
import { consumeStream, enableStream, type StreamHandler } from '../../infra/local/events/stream.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { afterFile } from './after-file.ts';
import { type Bugless, newTable, referenceCatalogue, serve } from './bugless.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { permissionLog } from './permission-log.ts';

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
  /** Ends the reading of the stream, which takes time as long as it goes on; otherwise it ends after the tests of the file. */
  stopEvents(): Promise<void>;
}

let instances = 0;

/** Starts Bugless with the stream of its table, the function `events` and a bus. */
export async function startBuglessWithEvents(
  catalogue: CatalogueSource = referenceCatalogue(),
  settings: Record<string, string> = {},
): Promise<BuglessWithEvents> {
  const cleanup = new AsyncDisposableStack();
  afterFile(() => cleanup.disposeAsync());
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
  // With the permissions that it has when it is deployed.
  const proxy = await startIamProxy(dynamoDbEndpoint(), consumer.permissions, permissionLog('events'));
  cleanup.defer(proxy.stop);
  const names = { TABLE_NAME: table.name, EVENTS_ENDPOINT: bus, DYNAMODB_ENDPOINT: proxy.endpoint };
  const handler = await loadConsumer('events', { ...names, EVENT_BUS_NAME: 'test', ...settings });
  const consume: StreamHandler = async (Records) => {
    const { batchItemFailures } = await handler({ Records });
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  let current = consume;
  const report = (message: string, cause: unknown) => console.error(message, cause);
  await consumeStream({ arn, endpoint: dynamoDbEndpoint() }, (records) => current(records), cleanup, report);
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
      current = wrapper(consume);
    },
    stopEvents: () => cleanup.disposeAsync(),
  };
}

/** The handler of a function that consumes a stream or a queue. */
export type ConsumerHandler = (
  event: { Records: readonly unknown[] },
  context?: object,
) => Promise<{ batchItemFailures: { itemIdentifier: string }[] }>;

/** Loads a function that consumes a stream or a queue, with an environment. */
export async function loadConsumer(
  name: 'events' | 'mail',
  settings: Record<string, string>,
): Promise<ConsumerHandler> {
  instances += 1;
  const environment: Record<string, string> = {
    ...{ DATABASE_REQUEST_TIMEOUT_MS: '60000', REQUEST_LOG: 'off' },
    ...settings,
  };
  const before = Object.fromEntries(Object.keys(environment).map((one) => [one, process.env[one]]));
  Object.assign(process.env, environment);
  try {
    const index = new URL(`../../functions/${name}/index.ts?instance=${instances}`, import.meta.url);
    return (await import(/* @vite-ignore */ index.href)).handler;
  } finally {
    for (const [one, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[one];
      else process.env[one] = value;
    }
  }
}
