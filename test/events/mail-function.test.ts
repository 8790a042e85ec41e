import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consumer } from '../../functions/mail/consumer.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import { INTERNAL_SOURCE } from '../../lib/changes/events/event.ts';
import { setItem } from '../../lib/table/write.ts';
import { afterFile } from '../support/after-file.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { loadConsumer } from '../support/events.ts';
import { changeObserver } from '../support/new-mails.ts';
import { permissionLog } from '../support/permission-log.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { SANDBOX, startSes } from '../support/simulated-ses.ts';
import { inNewFolder } from '../support/start-process.ts';
import { allItems } from '../support/table-items.ts';
import { jsonLines, written } from '../support/written.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBugless(catalogue(), { ...RECORDED_SETTINGS, EVENTS: 'true' }));
const { newChanges } = changeObserver(() => bugless);

const context = { getRemainingTimeInMillis: () => 60_000 };

/** The function `mail` with its permissions. @param folder gets mails instead of Amazon SES */
async function loadMail(folder: string | undefined, settings: Record<string, string> = {}) {
  const proxy = await startIamProxy(dynamoDbEndpoint(), consumer.permissions, permissionLog('mail'));
  afterFile(() => proxy.stop());
  const handler = await loadConsumer('mail', {
    ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: proxy.endpoint, REQUEST_LOG: 'off' },
    ...{ MAIL_FROM: 'bugs@example.org', BASE_URL: 'https://bugs.example.org/' },
    ...(folder === undefined ? {} : { MAIL_FOLDER: folder }),
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

it.each([
  ['https://bugs.example.org/', true],
  ['http://127.0.0.1:3000/', false],
])('has the link that turns mails off with one click where the address is public: %s', (BASE_URL, isPublic) =>
  inNewFolder(async (folder) => {
    const mail = await loadMail(folder, { BASE_URL, MAIL_PER_HOUR: '10000' });
    expect(await mail(await messagesOf('PUT', '/rest/bug/1', { whiteboard: `[${BASE_URL}]` }))).toEqual([]);
    const [file = ''] = await readdir(folder);
    const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n ', ' ');
    const [, recipient = ''] = /^To: (.*)$/m.exec(text.replaceAll('\r', '')) ?? [];
    const [, link = ''] = /List-Unsubscribe: ?<([^>]*)>/.exec(text) ?? [];
    expect(text.includes('List-Unsubscribe-Post: List-Unsubscribe=One-Click')).toBe(isPublic);
    if (!isPublic) return;
    expect(link.startsWith(`${BASE_URL}rest/bugless/unsubscribe?user=`)).toBe(true);
    const path = link.slice(BASE_URL.length - 1);
    const isOn = async () => {
      const { body } = await bugless.call('GET', `/rest/user/${recipient}`, { key: keys.get('admin') });
      return body.users[0].email_enabled;
    };
    expect(await isOn()).toBe(true);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await bugless.call('POST', path, { headers, body: 'List-Unsubscribe=One-Click' })).status).toBe(
      200,
    );
    expect(await isOn()).toBe(false);
    await bugless.call('PUT', `/rest/user/${recipient}`, {
      key: keys.get('admin'),
      body: { email_enabled: true },
    });
  }),
);

describe('while Amazon SES refuses', () => {
  /** The metrics that were published. */
  const sums = (lines: Record<string, unknown>[]) => {
    const counted: Record<string, number> = {};
    for (const [name, value] of lines.filter((line) => '_aws' in line).flatMap(Object.entries)) {
      if (typeof value === 'number') counted[name] = (counted[name] ?? 0) + value;
    }
    return counted;
  };
  const METRICS = { REQUEST_LOG: 'json', SERVICE_NAME: 'Bugless-test' };

  it('mails stay in the queue, and everybody gets each once afterwards', async () => {
    const ses = await startSes();
    const mail = await loadMail(undefined);
    const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[sandbox]' });
    ses.faults.next = () => SANDBOX;
    await written(async () => {
      for (let delivery = 0; delivery < 4; delivery += 1) expect(await mail(messages)).toEqual(['message-0']);
    });
    const asked = new Set(ses.received.splice(0).map(({ Destination }) => Destination.ToAddresses[0]));
    ses.faults.next = () => undefined;
    expect([await mail(messages), await mail(messages)]).toEqual([[], []]);
    const got = ses.received.map(({ Destination }) => Destination.ToAddresses[0]);
    expect(asked.size).toBeGreaterThan(1);
    expect(got.sort()).toEqual([...asked].sort());
  });

  it('the log and the metrics say so: bug, revision and attempt, and neither values nor addresses', async () => {
    const ses = await startSes();
    const mail = await loadMail(undefined, METRICS);
    const [message] = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[heard]' });
    ses.faults.next = () => SANDBOX;
    const received = { ...message, attributes: { ApproximateReceiveCount: '7' } };
    const lines = jsonLines(await written(() => mail([received])));
    const refused = ses.received.length;
    ses.faults.next = () => undefined;
    const later = jsonLines(await written(() => mail([received])));
    const { detail } = JSON.parse((message as { body: string }).body);
    expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([
      expect.objectContaining({
        ...{ message: 'A change could not be mailed', service: 'Bugless-test' },
        ...{ bug: 1, revision: detail.change.revision, attempt: 7 },
        error: expect.objectContaining({
          name: 'MessageRejected',
          message: expect.stringMatching(/^Email address is not verified\..*EU-CENTRAL-1: …$/),
        }),
      }),
    ]);
    expect(JSON.stringify([lines, later])).not.toMatch(/@example|heard/);
    expect([sums(lines), sums(later)]).toEqual([{ MailsRefused: refused }, { MailsSent: refused }]);
    const directives = [...lines, ...later].flatMap((line) => line['_aws']?.CloudWatchMetrics ?? []);
    expect(directives).toMatchObject([
      { Namespace: 'Bugless/Bugless-test', Dimensions: [[]] },
      { Namespace: 'Bugless/Bugless-test', Dimensions: [[]] },
    ]);
  });

  it('the log has the id of the request that made the change', async () => {
    const ses = await startSes();
    const mail = await loadMail(undefined, METRICS);
    const ids: (string | null)[] = [];
    const found: unknown[] = [];
    const comment = { comment: 'Traced' };
    for (const [method, path, body] of [
      ['PUT', '/rest/bug/1', { whiteboard: '[traced]' }],
      ['POST', '/rest/bug/1/comment', comment],
    ] as const) {
      await newChanges();
      const { headers } = await bugless.call(method, path, { key: keys.get('admin'), body });
      ids.push(headers.get('apigw-requestid'));
      const [detail] = await newChanges();
      const message = { messageId: 'traced', receiptHandle: 'traced', body: JSON.stringify({ detail }) };
      ses.faults.next = () => SANDBOX;
      const lines = jsonLines(await written(() => mail([message])));
      ses.faults.next = () => undefined;
      await written(() => mail([message]));
      found.push(...lines.filter(({ level }) => level === 'ERROR').map(({ request_id }) => request_id));
    }
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(found).toEqual(ids);
  });

  it('a mail without a known outcome is sent twice, and then counted as undeliverable', async () => {
    const ses = await startSes(['lost']);
    const mail = await loadMail(undefined, METRICS);
    const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[lost]' });
    await written(async () => expect(await mail(messages)).toEqual(['message-0']));
    const recipients = ses.received.length;
    const lost = ses.received[0]?.Destination.ToAddresses[0] ?? '';
    const sending = (await allItems(bugless.table)).filter(({ state }) => state === 'sending');
    expect(sending.map(({ attempts }) => attempts)).toEqual([1]);
    const timeOut = async () => {
      for (const { pk, sk, started_at } of (await allItems(bugless.table)).filter(
        ({ state }) => state === 'sending',
      )) {
        await setItem(bugless.table, { pk, sk }, { started_at: Number(started_at) - 600 });
      }
    };
    await timeOut();
    ses.faults.next = () => 'lost';
    await written(() => mail(messages));
    await timeOut();
    const lines = jsonLines(await written(async () => expect(await mail(messages)).toEqual([])));
    const times = ses.received.filter(({ Destination }) => Destination.ToAddresses[0] === lost).length;
    expect([times, ses.received.length]).toEqual([2, recipients + 1]);
    expect(sums(lines)).toEqual({ MailsUndeliverable: 1 });
    expect(lines.find(({ level }) => level === 'ERROR')).toMatchObject({
      ...{ message: 'A mail is undeliverable', bug: 1, revision: expect.any(Number), attempt: 1 },
    });
    expect(JSON.stringify(lines)).not.toContain(lost);
  });
});

describe('one message that cannot be mailed does not stop the others', () => {
  it.each([
    ['that is no JSON', '{"detail": {"bug": 1, "change": secret'],
    ['of a change that it does not know', JSON.stringify({ detail: { bug: 1, change: { kind: 'x' } } })],
    ['without a change', JSON.stringify({ detail: { bug: 1, comment: 'secret' } })],
  ])('one %s', async (_, body) => {
    await inNewFolder(async (folder) => {
      const mail = await loadMail(folder);
      const messages = await messagesOf('PUT', '/rest/bug/1', { whiteboard: `[${Math.random()}]` });
      const broken = { messageId: 'broken', receiptHandle: 'broken', body };
      const lines = jsonLines(
        await written(async () =>
          expect(await mail([broken, ...messages, broken])).toEqual(['broken', 'broken']),
        ),
      );
      expect((await readdir(folder)).length).toBeGreaterThan(0);
      expect(lines.map(({ level, attempt }) => [level, attempt])).toEqual([
        ['ERROR', 1],
        ['ERROR', 1],
      ]);
      expect(JSON.stringify(lines)).not.toContain('secret');
    });
  });

  it('one whose mails are refused', async () => {
    const ses = await startSes();
    const mail = await loadMail(undefined);
    const [first] = await messagesOf('PUT', '/rest/bug/1', { whiteboard: '[refused]' });
    const [second] = await messagesOf('PUT', '/rest/bug/2', { whiteboard: '[taken]' });
    ses.faults.next = () => {
      const raw = Buffer.from(ses.received.at(-1)?.Content.Raw.Data ?? '', 'base64').toString();
      return raw.includes('[Bug 1]') ? SANDBOX : undefined;
    };
    await written(async () =>
      expect(await mail([first ?? {}, { ...second, messageId: 'second' }])).toEqual(['message-0']),
    );
    expect(
      ses.received.filter(({ Content }) =>
        Buffer.from(Content.Raw.Data, 'base64').toString().includes('[Bug 2]'),
      ).length,
    ).toBeGreaterThan(0);
  });
});
