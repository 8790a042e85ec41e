import { parentPort, workerData } from 'node:worker_threads';
import { openTable } from '../../../lib/table/client.ts';
import { prepareEvents } from './events.ts';
import { threadCommand, threadData } from './start-events.ts';

/** A thread of `npm start` that reads the stream and sends events and mails, beside that of the requests. */

const { table, endpoint, isOwn, keepsData, webhooks, isQuiet } = threadData.parse(workerData);
const cleanup = new AsyncDisposableStack();
const print = (line: string) => {
  if (!isQuiet) console.log(line);
};
const database = { table: openTable(table, endpoint), endpoint, isOwn, keepsData };
const events = await prepareEvents(database, webhooks, cleanup, print);
parentPort?.on('message', async (message: unknown) => {
  const { start } = threadCommand.parse(message);
  if (start === undefined) {
    await cleanup.disposeAsync();
    parentPort?.close();
    return;
  }
  await events?.start(start);
  parentPort?.postMessage({});
});
parentPort?.postMessage({ bus: events?.bus });
