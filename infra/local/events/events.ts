import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { escapeLine } from '../../../lib/base/text.ts';
import { type BugEvent, EVENT_SOURCE, INTERNAL_SOURCE } from '../../../lib/changes/events/event.ts';
import {
  eventPattern,
  matchesPattern,
  type Webhook,
  webhookBody,
  webhooksSchema,
} from '../../../lib/changes/events/webhooks.ts';
import { readStageFile } from '../../stack/stage-file.ts';
import type { Database } from '../database/database.ts';
import { lambdaContext, loadHandler } from '../gateway/lambda.ts';
import type { Options } from '../options.ts';
import { printFailure } from '../print-failure.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { type ReceivedEvent, startEventBridge } from './event-bridge.ts';
import { consumeStream, enableStream, fileCheckpoints, streamOf } from './stream.ts';

/** How far the stream was read. */
const CHECKPOINTS = '.local/events.json';
/** Settings of the function `mail`: where mails lie, and who they are from. */
const LOCAL_MAIL = { MAIL_FOLDER: '.local/mail', MAIL_FROM: 'bugs@localhost.invalid' };

const OFF = 'Events, webhooks and mails: off; npm start -- --events turns them on, or --webhook URL';
const NO_STREAM = 'Events, webhooks and mails: off, because the table has no stream';
const ON = 'Events, webhooks and mails: on; mails are files in .local/mail/';

/** What the consumers of a stream or a queue return. */
const failures = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** A webhook of this machine: also http, and a secret itself in the place of its name. */
type LocalWebhook = Webhook & { secret: string };

/** Prints lines that say what happens. */
type Print = (line: string) => void;

/**
 * Starts what a deployed stack has for events, where the command line or the stage's file asks for them: the stream of the
 * table, a bus, webhooks and mails; otherwise mails about accounts alone, so that signing in can be tried.
 *
 * @param cleanup receives the function that ends it
 * @throws Error when the stage's file is invalid
 */
export async function startEvents(
  { table, endpoint, isOwn, keepsData }: Database,
  options: Options,
  cleanup: AsyncDisposableStack,
  print: Print,
) {
  const file = readStageFile('local') ?? {};
  const webhooks = [...webhooksSchema.parse(file['webhooks'] ?? []), ...givenWebhooks(options)];
  const isWanted =
    options.events === true || webhooks.length > 0 || file['mail'] !== undefined || file['events'] === true;
  const streamed = isWanted ? await (isOwn ? enableStream(table) : streamOf(table)) : undefined;
  print(isWanted ? (streamed === undefined ? NO_STREAM : ON) : OFF);
  const ending = new AbortController();
  const mails = messageQueue((body, attempt) => consume('mail', [message(body, attempt)]), ending.signal);
  const take = (event: ReceivedEvent) => {
    if (event.source === INTERNAL_SOURCE) mails.add(JSON.stringify(event));
    else dispatch(event, webhooks, ending.signal, print);
    return undefined;
  };
  const bus = await startEventBridge(take, cleanup);
  async function consume(name: 'events' | 'mail', Records: readonly unknown[]): Promise<readonly string[]> {
    // When it is needed: loading a function takes longer than the rest of the start.
    const module = new URL(`../../../functions/${name}/index.ts`, import.meta.url).href;
    const handler = await loadHandler(module);
    const result = failures.parse(await handler({ Records }, lambdaContext(name)));
    return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }
  return {
    /** URL of the bus, which has messages about accounts also where events are off */
    bus,
    /** the settings of functions that write */
    environment: { EVENT_BUS_NAME: 'local', EVENTS_ENDPOINT: bus, MAIL_FOLDER: LOCAL_MAIL.MAIL_FOLDER },
    isOn: streamed !== undefined,
    webhooks,
    /** Begins to read the stream. @param url of the service, for links in mails */
    async start(url: string): Promise<void> {
      const environment = {
        TABLE_NAME: table.name,
        DYNAMODB_ENDPOINT: endpoint,
        MAIL: 'true',
        ...LOCAL_MAIL,
      };
      Object.assign(process.env, environment, { BASE_URL: `${url}/` });
      cleanup.defer(async () => {
        ending.abort();
        await mails.ended();
      });
      if (streamed === undefined) return;
      await consumeStream(
        { arn: streamed, endpoint },
        (records) => consume('events', records),
        cleanup,
        printFailure,
        keepsData ? fileCheckpoints(CHECKPOINTS, streamed) : undefined,
      );
    },
  };
}

/** The webhooks of the command line. */
function givenWebhooks({ webhook: urls, webhookHeader }: Options): LocalWebhook[] {
  const [header, secret] = webhookHeader ?? ['X-Webhook-Token', 'local'];
  return urls.map((url, index) => ({
    ...{ name: `local-${index + 1}`, url, product: 'Any', component: 'Any', requestsPerSecond: 300 },
    ...{ events: ['create', 'change', 'comment', 'attachment'], header, secret },
  }));
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

let messages = 0;

/** A message as SQS gives it to a function. */
function message(body: string, attempt: number) {
  messages += 1;
  const attributes = { ApproximateReceiveCount: String(attempt) };
  return { messageId: String(messages), receiptHandle: String(messages), body, attributes };
}

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * A queue in memory, with the delivery of SQS to a function: one message at a time. A message that fails is delivered again,
 * with exponential backoff, and the others go on meanwhile.
 *
 * @param deliver returns what is left of the message: nothing when it is done; `attempt`: how often it was delivered, from 1
 * @param signal ends it
 */
export function messageQueue(
  deliver: (body: string, attempt: number) => Promise<readonly string[]>,
  signal: AbortSignal,
) {
  let last: Promise<void> = Promise.resolve();
  const waiting = new Set<Promise<void>>();

  function enqueue(body: string, attempt: number): void {
    last = last.then(() => run(body, attempt));
  }

  async function run(body: string, attempt: number): Promise<void> {
    // The first delivery of what was written just before the end.
    if (signal.aborted && attempt > 1) return;
    const left = await deliver(body, attempt).catch((error: unknown) => {
      printFailure('The function mail failed', error);
      return [body];
    });
    if (left.length === 0) return;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    const again = sleep(backoff, undefined, { signal }).then(
      () => enqueue(body, attempt + 1),
      () => undefined,
    );
    waiting.add(again);
    void again.then(() => waiting.delete(again));
  }

  return {
    add: (body: string): void => enqueue(body, 1),
    /** Resolves when nothing is delivered any more. */
    async ended(): Promise<void> {
      await last;
      await Promise.all(waiting);
      await last;
    },
  };
}
