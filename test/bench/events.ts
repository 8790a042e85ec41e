import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { deliverWebhook } from '../../infra/local/events/deliver-webhook.ts';
import { startEventBridge } from '../../infra/local/events/event-bridge.ts';
import { consumeStream, enableStream } from '../../infra/local/events/stream.ts';
import { listen } from '../../infra/local/listen.ts';
import { costOf } from './capacity.ts';
import { ADMIN, openGround, openHandlers, PROJECT, percentiles } from './environment.ts';
import { printTable, rounded } from './print.ts';

const WRITES = 400;
const WRITES_PER_SECOND = 20;
/** Comments are written to these in turn. */
const BUGS = [1, 3, 7, 8];

interface Detail {
  id: string;
}

/** The times that events took to arrive somewhere. */
function arrivals(written: ReadonlyMap<string, number>) {
  const times = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  return {
    times,
    all: all.promise,
    arrived({ id }: Detail): void {
      if (!times.has(id)) times.set(id, performance.now());
      if (times.size === WRITES) all.resolve();
    },
    row: (place: string) => {
      const latencies = [...times].map(([id, at]) => at - (written.get(id) ?? at));
      return { 'milliseconds until an event is': place, events: times.size, ...percentiles(latencies) };
    },
  };
}

/**
 * The time from the response of a write to its event on the bus, and at a webhook, under 20 comments a second, and what the
 * function `events` spends on a change. On AWS, Lambda's batching window adds up to a second, and the network its share.
 */
export async function events(): Promise<void> {
  process.env['EVENTS'] = 'true';
  const { table, endpoint, meter, stop } = await openGround();
  const arn = await enableStream(table);
  const cleanup = new AsyncDisposableStack();
  const written = new Map<string, number>();
  const [onBus, atWebhook] = [arrivals(written), arrivals(written)];
  const receiver = await listen(
    createServer(async (request, response) => {
      atWebhook.arrived((await json(request)) as Detail);
      response.writeHead(204).end();
    }),
  );
  const { signal } = new AbortController();
  const bus = await startEventBridge(({ detail }) => {
    onBus.arrived(detail as Detail);
    const delivery = { url: receiver.url, headers: {}, body: JSON.stringify(detail) };
    void deliverWebhook(delivery, signal, () => undefined);
    return undefined;
  }, cleanup);
  const { invoke } = await openHandlers(table.name, endpoint);
  Object.assign(process.env, {
    EVENT_BUS_NAME: 'bench',
    EVENTS_ENDPOINT: bus,
    DYNAMODB_ENDPOINT: meter.endpoint,
  });
  const { handler } = await import(pathToFileURL(join(PROJECT, 'functions/events/index.ts')).href);
  let batches = 0;
  const consume = async (Records: unknown) => {
    batches += 1;
    const { batchItemFailures } = await handler({ Records });
    return batchItemFailures.map(({ itemIdentifier }: { itemIdentifier: string }) => itemIdentifier);
  };
  await consumeStream({ arn, endpoint }, consume, cleanup, (message, cause) => console.error(message, cause));
  meter.take();
  const started = performance.now();
  const pending = [];
  for (let n = 0; n < WRITES; n += 1) {
    await sleep(Math.max(0, started + (n * 1_000) / WRITES_PER_SECOND - performance.now()));
    pending.push(comment(BUGS[n % BUGS.length] ?? 1, n));
  }
  async function comment(bug: number, n: number): Promise<void> {
    const target = `/rest/bug/${bug}/comment`;
    const { body } = await invoke({ method: 'POST', target, key: ADMIN, body: { comment: `text ${n}` } });
    written.set(`${bug}:comment:${JSON.parse(body).id}`, performance.now());
  }
  await Promise.all(pending);
  await Promise.all([onBus.all, atWebhook.all]);
  const { calls, readUnits } = costOf(meter.take(), 0);
  printTable(`${WRITES} comments, ${WRITES_PER_SECOND} a second`, [
    onBus.row('on the bus'),
    atWebhook.row('at a webhook'),
  ]);
  printTable('The function events, for a comment', [
    { batches, calls: rounded(calls / WRITES), 'read units': rounded(readUnits / WRITES) },
  ]);
  await cleanup.disposeAsync();
  await receiver.stop();
  await stop();
}
