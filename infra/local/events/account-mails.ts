import type { Database } from '../database/database.ts';
import { lambdaContext, loadHandler } from '../gateway/lambda.ts';
import { startEventBridge } from './event-bridge.ts';
import { failures, LOCAL_MAIL, message } from './events.ts';
import { messageQueue } from './message-queue.ts';

/** Mails about accounts, where events are off. */
interface AccountMails {
  /** URL of a bus that has nothing else */
  bus: string;
  /** Says where the service is. @param url for links in mails */
  start(url: string): Promise<void>;
}

/**
 * Starts a bus that hands messages about accounts to the function `mail`, so that signing in can be tried without events.
 *
 * @param cleanup receives the function that ends it
 */
export async function startAccountMails(
  { table, endpoint }: Pick<Database, 'table' | 'endpoint'>,
  cleanup: AsyncDisposableStack,
): Promise<AccountMails> {
  const ending = new AbortController();
  let handler: ReturnType<typeof loadHandler> | undefined;
  const mails = messageQueue(async (body, attempt) => {
    // Loading the function takes longer than the rest of the start.
    handler ??= loadHandler(new URL('../../../functions/mail/index.ts', import.meta.url).href);
    const result = await (await handler)({ Records: [message(body, attempt)] }, lambdaContext('mail'));
    return failures.parse(result).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }, ending.signal);
  const bus = await startEventBridge((event) => {
    mails.add(JSON.stringify(event));
    return undefined;
  }, cleanup);
  cleanup.defer(async () => {
    ending.abort();
    await mails.ended();
  });
  const environment = { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: endpoint, ...LOCAL_MAIL };
  return {
    bus,
    async start(url) {
      Object.assign(process.env, environment, { BASE_URL: `${url}/` });
    },
  };
}
