import * as z from 'zod';
import { escapeLine } from '../../../lib/base/text.ts';
import { type BugEvent, EVENT_SOURCE, INTERNAL_SOURCE } from '../../../lib/changes/events/event.ts';
import { eventPattern, matchesPattern, webhookBody } from '../../../lib/changes/events/webhooks.ts';
import type { Database } from '../database/database.ts';
import { lambdaContext, loadHandler } from '../gateway/lambda.ts';
import { printFailure } from '../print-failure.ts';
import { fileCheckpoints } from './checkpoints.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { type ReceivedEvent, startEventBridge } from './event-bridge.ts';
import { messageQueue } from './message-queue.ts';
import type { LocalWebhook } from './start-events.ts';
import { consumeStream, enableStream, streamOf } from './stream.ts';

/** How far the stream was read. */
const CHECKPOINTS = '.local/events.json';
/** Settings of the function `mail`: where mails lie, and who they are from. */
export const LOCAL_MAIL = { MAIL_FOLDER: '.local/mail', MAIL_FROM: 'bugs@localhost.invalid' };

/** What the consumers of a stream or a queue return. */
export const failures = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** Prints lines that say what happens. */
type Print = (line: string) => void;

/** The events of a table that runs on this machine. */
interface LocalEvents {
  /** URL of the bus */
  bus: string;
  /** Begins to read the stream. @param url of the service, for links in mails */
  start(url: string): Promise<void>;
}

/**
 * Prepares what a deployed stack has for events: the stream of the table, a bus, webhooks and mails.
 *
 * @returns undefined: the table is not of this service alone, and has no stream
 */
export async function prepareEvents(
  { table, endpoint, isOwn, keepsData }: Omit<Database, 'isNew'>,
  webhooks: readonly LocalWebhook[],
  cleanup: AsyncDisposableStack,
  print: Print,
): Promise<LocalEvents | undefined> {
  const arn = isOwn ? await enableStream(table) : await streamOf(table);
  if (arn === undefined) return undefined;
  const ending = new AbortController();
  const deliver = (body: string, attempt: number) => consume('mail', [message(body, attempt)]);
  const mails = messageQueue(deliver, ending.signal);
  const take = (event: ReceivedEvent) => {
    if (event.source === INTERNAL_SOURCE) mails.add(JSON.stringify(event));
    else dispatch(event, webhooks, ending.signal, print);
    return undefined;
  };
  const bus = await startEventBridge(take, cleanup);
  const environment = { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: endpoint, EVENT_BUS_NAME: 'local' };
  const load = handlers({ ...environment, EVENTS_ENDPOINT: bus, MAIL: 'true', ...LOCAL_MAIL });
  async function consume(name: 'events' | 'mail', Records: readonly unknown[]): Promise<readonly string[]> {
    const handler = await load(name);
    const result = failures.parse(await handler({ Records }, lambdaContext(name)));
    return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }
  return {
    bus,
    async start(url) {
      process.env['BASE_URL'] = `${url}/`;
      cleanup.defer(async () => {
        ending.abort();
        await mails.ended();
      });
      await consumeStream(
        { arn, endpoint },
        (records) => consume('events', records),
        cleanup,
        printFailure,
        keepsData ? fileCheckpoints(CHECKPOINTS, arn) : undefined,
      );
    },
  };
}

const parts = z.object({
  ...{ id: z.string(), revision: z.int() },
  event: z.object({ routing_key: z.string() }),
  bug: z.object({ id: z.int() }),
});
const bugEvent = z.custom<BugEvent>((given) => parts.safeParse(given).success);

/** Sends an event to the webhooks that want it. */
function dispatch(
  event: ReceivedEvent,
  webhooks: readonly LocalWebhook[],
  signal: AbortSignal,
  print: Print,
): void {
  const detail = bugEvent.parse(event.detail);
  const line = escapeLine(`event  bug ${detail.bug.id}  ${detail.event.routing_key}`);
  if (event.source === EVENT_SOURCE) print(line);
  for (const [index, webhook] of webhooks.entries()) {
    if (!matchesPattern(eventPattern(webhook), { ...event, detail })) continue;
    const body = JSON.stringify(webhookBody(webhook, index + 1, detail));
    // Secrets Manager is not on this machine: its name stands for the secret.
    const headers = { [webhook.header]: webhook.secret };
    void deliverWebhook({ url: webhook.url, headers, body }, signal, (outcome) =>
      print(`webhook  ${webhook.name}  ${webhook.url}  ${escapeLine(outcome)}  ${line}`),
    );
  }
}

/** Loads the functions when they are needed: that takes longer than the rest of the start. */
function handlers(environment: Readonly<Record<string, string>>) {
  const loaded = new Map<string, ReturnType<typeof loadHandler>>();
  return (name: string): ReturnType<typeof loadHandler> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    Object.assign(process.env, environment);
    const handler = loadHandler(new URL(`../../../functions/${name}/index.ts`, import.meta.url).href);
    loaded.set(name, handler);
    return handler;
  };
}

let messages = 0;

/** A message as SQS gives it to a function. */
export function message(body: string, attempt: number) {
  messages += 1;
  const attributes = { ApproximateReceiveCount: String(attempt) };
  return { messageId: String(messages), receiptHandle: String(messages), body, attributes };
}
