import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import { webhookSchema, webhooksSchema } from '../../../lib/changes/events/webhooks.ts';
import { readStageFile } from '../../stack/stage-file.ts';
import type { Database } from '../database/database.ts';
import { printFailure } from '../print-failure.ts';

/** What the thread of events gets when it begins. */
export const threadData = z.object({
  /** name of the table */
  table: z.string(),
  /** URL of DynamoDB */
  endpoint: z.string(),
  isOwn: z.boolean(),
  keepsData: z.boolean(),
  webhooks: z.array(z.object({ ...webhookSchema.shape, url: z.string(), secret: z.string() })),
  isQuiet: z.boolean(),
});
/** A webhook of this machine: also http, and a secret itself in the place of its name. */
export type LocalWebhook = z.output<typeof threadData>['webhooks'][number];

/** `start`: the URL of the service, for links in mails; absent: it is to end. */
export const threadCommand = z.object({ start: z.optional(z.string()) });
const threadReady = z.object({ bus: z.optional(z.string()) });

/** The options of `npm start` that decide about events. */
interface EventOptions {
  events?: true;
  /** URLs that get every event */
  webhook: readonly string[];
  /** name and value of the header that these get */
  webhookHeader?: readonly [string, string];
  quiet?: true;
}

/** The events of a table that runs on this machine. */
interface LocalEvents {
  /** URL of the bus */
  bus: string;
  webhooks: readonly LocalWebhook[];
  /** Begins to read the stream. @param url of the service, for links in mails */
  start(url: string): Promise<void>;
}

const OFF = 'Events, webhooks and mails: off; npm start -- --events turns them on, or --webhook URL';
const NO_STREAM = 'Events, webhooks and mails: off, because the table has no stream';
const ON = 'Events, webhooks and mails: on; mails are files in .local/mail/';

/**
 * Starts the thread of events, where the command line or the stage's file asks for them.
 *
 * @param cleanup receives the function that ends it
 * @param print prints a line
 * @returns undefined: they are off, or the table is not of this service alone, and has no stream
 * @throws Error when the stage's file is invalid, or the thread fails to start
 */
export async function startEvents(
  { table, endpoint, isOwn, keepsData }: Database,
  options: EventOptions,
  cleanup: AsyncDisposableStack,
  print: (line: string) => void,
): Promise<LocalEvents | undefined> {
  const file = readStageFile('local') ?? {};
  const webhooks = [...webhooksSchema.parse(file['webhooks'] ?? []), ...givenWebhooks(options)];
  const isWanted = options.events === true || webhooks.length > 0 || file['mail'] !== undefined;
  if (!isWanted && file['events'] !== true) {
    print(OFF);
    return undefined;
  }
  const isQuiet = options.quiet === true;
  const workerData: z.input<typeof threadData> = {
    ...{ table: table.name, endpoint, isOwn, keepsData, webhooks, isQuiet },
  };
  const thread = new Worker(new URL('./events-thread.ts', import.meta.url), { workerData });
  let isEnding = false;
  const ended = once(thread, 'exit');
  ended.catch(() => undefined);
  thread.on('error', (error) => {
    if (!isEnding) printFailure('Events are sent again from the next start on: their thread ended', error);
  });
  cleanup.defer(async () => {
    isEnding = true;
    thread.postMessage({} satisfies z.input<typeof threadCommand>);
    await ended.catch(() => undefined);
  });
  /** Waits for its answer; an error of the thread rejects. */
  const answer = async () => threadReady.parse((await once(thread, 'message'))[0]);
  const { bus } = await answer();
  print(bus === undefined ? NO_STREAM : ON);
  if (bus === undefined) return undefined;
  return {
    bus,
    webhooks,
    async start(url) {
      thread.postMessage({ start: url } satisfies z.input<typeof threadCommand>);
      await answer();
    },
  };
}

/** The webhooks of the command line. */
function givenWebhooks({ webhook: urls, webhookHeader }: EventOptions): LocalWebhook[] {
  const [header, secret] = webhookHeader ?? ['X-Webhook-Token', 'local'];
  return urls.map((url, index) => ({
    ...{ name: `local-${index + 1}`, url, product: 'Any', component: 'Any', requestsPerSecond: 300 },
    ...{ events: ['create', 'change', 'comment', 'attachment'], header, secret },
  }));
}
