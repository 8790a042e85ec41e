import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { consumer } from '../../functions/mail/consumer.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import { INTERNAL_SOURCE } from '../../lib/events/event.ts';
import { afterFile } from '../support/after-file.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { loadConsumer } from '../support/events.ts';
import { changeObserver } from '../support/new-mails.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { inNewFolder } from '../support/start-process.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBugless(catalogue(), { ...RECORDED_SETTINGS, EVENTS: 'true' }));
const { newChanges } = changeObserver(() => bugless);

const context = { getRemainingTimeInMillis: () => 60_000 };

/** The function `mail` with its permissions, which writes mails into a folder. */
async function loadMail(folder: string, settings: Record<string, string> = {}) {
  const proxy = await startIamProxy(dynamoDbEndpoint(), consumer.permissions);
  afterFile(() => proxy.stop());
  const handler = await loadConsumer('mail', {
    ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: proxy.endpoint, REQUEST_LOG: 'off' },
    ...{ MAIL_FROM: 'bugs@example.org', BASE_URL: 'https://bugs.example.org/', MAIL_FOLDER: folder },
    ...settings,
  });
  return async (records: readonly object[], remaining = context) => {
    const { batchItemFailures } = await handler({ Records: records }, remaining);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
}

/** The messages of what a request changes, as a rule of the bus sends them to the queue. */
async function messagesOf(method: string, path: string, body: object): Promise<object[]> {
  await newChanges();
  const { status } = await bugless.call(method, path, { key: keys.get('admin'), body });
  expect(status).toBeLessThan(300);
  return (await newChanges()).map((detail, index) => ({
    messageId: `message-${index}`,
    receiptHandle: `receipt-${index}`,
    body: JSON.stringify({ source: INTERNAL_SOURCE, 'detail-type': 'change', detail }),
  }));
}

it('mails the changes of its messages, each once, with the permissions of the stack', () =>
  inNewFolder(async (folder) => {
    const mail = await loadMail(folder);
    const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[mailed]' });
    expect(await mail(messages)).toEqual([]);
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(0);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    for (const text of texts) expect(text).toMatch(/Whiteboard\|.*\|\[mailed\]/);
    expect(await mail(messages)).toEqual([]);
    expect(await readdir(folder)).toEqual(files);
  }));

it('leaves messages in the queue that it cannot read, and mails the others', () =>
  inNewFolder(async (folder) => {
    const mail = await loadMail(folder);
    const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[others]' });
    const broken = { messageId: 'broken', receiptHandle: 'broken', body: '{' };
    expect(await mail([broken, ...messages])).toEqual(['broken']);
    expect((await readdir(folder)).length).toBeGreaterThan(0);
  }));

it('leaves messages in the queue when its time is nearly over, or the limit of the hour is reached', () =>
  inNewFolder(async (folder) => {
    const mail = await loadMail(folder, { MAIL_PER_HOUR: '1' });
    const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[late]' });
    expect(await mail(messages, { getRemainingTimeInMillis: () => 1_000 })).toEqual(['message-0']);
    // The mails of the tests before have used up this hour.
    expect(await mail(messages)).toEqual(['message-0']);
    expect(await readdir(folder)).toEqual([]);
  }));
