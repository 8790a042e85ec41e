import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReceivedEvent } from '../../infra/local/events/event-bridge.ts';
import { listen } from '../../infra/local/listen.ts';
import { type BusEntry, eventBus } from '../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { consumeRecords, type RecordServices } from '../../lib/changes/events/consume-records.ts';
import { deliveryLog } from '../../lib/changes/events/delivery-log.ts';
import { type FailedReplay, replayEvents } from '../../lib/changes/events/replay.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { RetriesExhausted } from '../../lib/table/retry.ts';
import { setItem } from '../../lib/table/write.ts';
import { runAdmin } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { loadConsumer, startBuglessWithEvents } from '../support/events.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { allItems } from '../support/table-items.ts';
import { jsonLines, written } from '../support/written.ts';

const { catalogue, keys } = openRecording('extras');
/** Each test makes its own bugs. */
const withoutBugs = () => ({ ...catalogue(), bugs: [] });
const start = async () => {
  const bugless = await startBuglessWithEvents(withoutBugs(), RECORDED_SETTINGS);
  onTestFinished(bugless.stopEvents);
  return bugless;
};
type Bugless = Awaited<ReturnType<typeof start>>;

/** Creates a bug, changes it and comments on it. @returns the ids of the events that this makes */
async function useBug(bugless: Bugless): Promise<string[]> {
  const call = (method: string, path: string, body: object) =>
    bugless.call(method, path, { key: keys.get('user'), body });
  const { body } = await call('POST', '/rest/bug', NEW_BUG);
  const id = Number(body.id);
  await call('PUT', `/rest/bug/${id}`, { whiteboard: '[a]', comment: { body: 'First' } });
  await call('PUT', `/rest/bug/${id}`, { whiteboard: '[b]' });
  const { body: comment } = await call('POST', `/rest/bug/${id}/comment`, { comment: 'Second' });
  const first = comment.id - 1;
  return [
    `${id}:create`,
    `${id}:modify:1`,
    `${id}:comment:${first}`,
    `${id}:modify:2`,
    `${id}:comment:${comment.id}`,
  ];
}

const idOf = ({ detail }: ReceivedEvent) => (detail as { id: string }).id;

describe('events', () => {
  it('that EventBridge refuses for the moment are sent again, and arrive in the order of the bug', async () => {
    const bugless = await start();
    const refused = new Map<string, number>();
    bugless.faults.take = (event) => {
      const times = refused.get(idOf(event)) ?? 0;
      refused.set(idOf(event), times + 1);
      return times < 2 ? 'ThrottlingException' : undefined;
    };
    const expected = await useBug(bugless);
    const received = (await bugless.take(expected.length)).map(idOf);
    expect(received.toSorted()).toEqual(expected.toSorted());
    expect([...refused.values()]).toEqual(expected.map(() => 3));
  });

  it('are sent twice with the same ids, and none is lost, where the function is killed after it sent them', async () => {
    const bugless = await start();
    let calls = 0;
    const survived = Promise.withResolvers<void>();
    bugless.wrap((next) => async (records) => {
      const failed = await next(records);
      calls += 1;
      if (calls <= 2) throw new Error('killed');
      survived.resolve();
      return failed;
    });
    const expected = await useBug(bugless);
    await survived.promise;
    const received = new Set<string>();
    while (received.size < expected.length) {
      for (const event of await bugless.take(1)) received.add(idOf(event));
    }
    expect([...received].toSorted()).toEqual(expected.toSorted());
  });

  it('that were lost are replayed with the same ids and bodies, also to one webhook only', async () => {
    const bugless = await start();
    await useBug(bugless);
    const second = await useBug(bugless);
    const before = await bugless.take(second.length * 2);
    const environment = {
      ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
      ...{ EVENT_BUS_NAME: 'test', EVENTS_ENDPOINT: bugless.bus },
    };
    const since = new Date(Date.now() - 600_000).toISOString();
    const replay = ['--json', 'events', 'replay', '--since', since];
    expect(await runAdmin(replay, environment)).toMatchObject({ code: 0, stdout: '{"events":10}\n' });
    const again = await bugless.take(10);
    const bodies = (events: ReceivedEvent[]) => new Map(events.map((event) => [idOf(event), event.detail]));
    for (const [id, detail] of bodies(before)) {
      const replayed = bodies(again).get(id);
      // The bug is as it is now.
      expect(replayed).toEqual({ ...(detail as object), bug: expect.anything() });
    }
    await runAdmin([...replay, '--webhook', 'jira'], environment);
    const sources = (await bugless.take(10)).map(({ source }) => source);
    expect(new Set(sources)).toEqual(new Set(['bugless.webhook.jira']));
    await runAdmin([...replay, '--mail'], environment);
    // Each bug was created, changed twice and commented on.
    const mailed = bugless.received.splice(0).filter(({ source }) => source === 'bugless.internal');
    expect(mailed.length).toBe(8);
  });

  it('are replayed without those that fail, which are named', async () => {
    const bugless = await start();
    const [first, broken, last] = [await useBug(bugless), await useBug(bugless), await useBug(bugless)];
    await bugless.take(15);
    const id = Number(broken[0]?.split(':')[0]);
    await setItem(bugless.table, bugKey(id), { status: 5 });
    const environment = {
      ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
      ...{ EVENT_BUS_NAME: 'test', EVENTS_ENDPOINT: bugless.bus },
    };
    const replay = ['events', 'replay', '--since', new Date(Date.now() - 600_000).toISOString()];
    const replayed = await runAdmin(replay, environment);
    expect(replayed).toMatchObject({ code: 1, stdout: 'Sent 10 events\n' });
    expect(replayed.stderr).toMatch(new RegExp(`^failed  bug ${id}: `, 'm'));
    expect(replayed.stderr).toContain('1 changes could not be sent');
    const events = (await bugless.take(10)).map(idOf);
    expect(events.toSorted()).toEqual([...first, ...last].toSorted());
    const json = JSON.parse((await runAdmin(['--json', ...replay], environment)).stdout);
    expect(json).toEqual({ events: 10, failed: [{ bug: id, error: expect.any(String) }] });
  });

  it('are replayed without changes that EventBridge refuses, which are named; after 20 in a row it ends', async () => {
    const bugless = await start();
    const expected = [...(await useBug(bugless)), ...(await useBug(bugless))];
    await bugless.take(10);
    const sources = eventRepositories(bugless.table, () => new Date());
    const since = new Date(Date.now() - 600_000).toISOString();
    const failed: FailedReplay[] = [];
    const report = { sent: () => undefined, failed: (failure: FailedReplay) => void failed.push(failure) };
    const refused = `"id":"${expected[0]}"`;
    const put = async (entries: readonly BusEntry[]) => {
      if (entries.some(({ detail }) => detail.includes(refused))) throw new Error('too large');
    };
    expect(await replayEvents(sources, { put }, { since }, report)).toBe(9);
    const [bug] = expected[0]?.split(':') ?? [];
    expect(failed).toEqual([{ bug: Number(bug), revision: 0, error: new Error('too large') }]);
    failed.length = 0;
    for (let count = 0; count < 5; count += 1) await useBug(bugless);
    const down = { put: () => Promise.reject(new Error('denied')) };
    await expect(replayEvents(sources, down, { since }, report)).rejects.toThrow('denied');
    expect(failed.length).toBe(20);
  });

  it('are not replayed where the table has no bus', async () => {
    const { table } = await start();
    const environment = { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
    const replayed = await runAdmin(['events', 'replay', '--since', '2026-01-02'], environment);
    expect([replayed.code, replayed.stderr]).toEqual([1, expect.stringContaining('no event bus')]);
  });
});

it('a pause is logged once a minute, and each other failure', async () => {
  let now = Date.parse('2026-01-02T03:04:05Z');
  const log = deliveryLog('Bugless-test', { now: () => new Date(now) });
  const lines = jsonLines(
    await written(async () => {
      for (let seconds = 0; seconds < 600; seconds += 10) {
        log.failing('Down', { attempt: seconds }, new TypeError('no'));
        log.paused(
          'Waiting',
          { attempt: 1 },
          { limit: 'user', user: 1 + (seconds % 20), number: 5, until: '2026-01-31T08:50:00Z' },
        );
        now += 10_000;
      }
      log.failing('Down', { attempt: 1 }, new RangeError('no'));
      for (const attempt of [1, 2]) log.failed('Failed', { attempt }, new Error('no'));
    }),
  );
  const times = (message: string) => lines.filter((line) => line['message'] === message).length;
  expect([times('Down'), times('Waiting'), times('Failed')]).toEqual([11, 20, 2]);
});

describe('records of the stream', () => {
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const MINUTE_MS = 60_000;
  const written_at = (minutes: number) => ({
    ApproximateCreationDateTime: (NOW - minutes * MINUTE_MS) / 1_000,
  });

  /** Records of what a bug's changes logged. @param age in minutes */
  async function recordsOf(bugless: Bugless, age = 0) {
    const items = await allItems(bugless.table);
    return items
      .filter(({ pk, events }) => pk.startsWith('CHANGED#') && events !== undefined)
      .map(({ pk, sk, events }, index) => ({
        dynamodb: {
          ...{ Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage: { events: { S: String(events) } } },
          ...{ ...written_at(age), SequenceNumber: String(index) },
        },
      }));
  }
  function services(bugless: Bugless, put: (entries: readonly BusEntry[]) => Promise<void>) {
    const failed: unknown[] = [];
    const { log, lines, counted } = recordedLog();
    const all: RecordServices = {
      sources: eventRepositories(bugless.table, () => new Date()),
      bus: { put },
      isMailed: false,
      now: () => new Date(NOW),
      timeoutMs: 10_000,
      keepFailed: (record) => Promise.resolve(void failed.push(record)),
      log,
      failures: new Map(),
    };
    return { all, failed, lines, counted };
  }
  /** A record that cannot be read. @param age in minutes */
  const poison = (age: number) => ({
    dynamodb: {
      ...{ Keys: { pk: { S: 'CHANGED#0' }, sk: { S: 'x' } }, NewImage: { events: { S: '{' } } },
      ...written_at(age),
    },
  });
  const POISON = poison(15);
  /** Two bugs that were used, for tests that only read them. */
  const used = useStarted(async () => {
    const bugless = await startBuglessWithEvents(withoutBugs(), RECORDED_SETTINGS);
    await useBug(bugless);
    await useBug(bugless);
    await bugless.stopEvents();
    return bugless;
  });

  it('that can never become events are set aside when they are 15 minutes old, and the others go on', async () => {
    const [record] = await recordsOf(used);
    const put: BusEntry[] = [];
    const { all, failed } = services(used, (entries) => Promise.resolve(void put.push(...entries)));
    expect(await consumeRecords([POISON, record, POISON], all)).toBe(3);
    expect([failed, put.length]).toEqual([[POISON, POISON], 1]);
    const undated = { dynamodb: { NewImage: {} } };
    expect(await consumeRecords([undated, 'no record at all'], all)).toBe(2);
    expect(failed.slice(2)).toEqual([undated, 'no record at all']);
  });

  it('that cannot be read are set aside at the third attempt, and nothing is sent twice or lost meanwhile', async () => {
    const [first, second] = await recordsOf(used);
    const put: string[] = [];
    const { all, failed, lines } = services(used, (entries) => {
      put.push(...entries.map(({ detail }) => JSON.parse(detail).id));
      return Promise.resolve();
    });
    const young = poison(14);
    expect(await consumeRecords([first, young, second], all)).toBe(1);
    const before = [...put];
    // As Lambda sends them again.
    expect(await consumeRecords([young, second], all)).toBe(0);
    expect([put, failed]).toEqual([before, []]);
    expect(new Set(lines.map(({ message }) => message))).toEqual(
      new Set(['Changes cannot become events now']),
    );
    expect(await consumeRecords([young, second], all)).toBe(2);
    expect(failed).toEqual([young]);
    expect(put.length).toBe(new Set(put).size);
    expect(put.length).toBeGreaterThan(before.length);
  });

  it('that cannot be set aside stay in the stream', async () => {
    const { all, failed } = services(used, () => Promise.resolve());
    const denied = { ...all, keepFailed: () => Promise.reject(new Error('denied')) };
    expect([await consumeRecords([POISON], denied), await consumeRecords([POISON], denied)]).toEqual([0, 0]);
    expect(await consumeRecords([POISON], all)).toBe(1);
    expect(failed).toEqual([POISON]);
  });

  it('that EventBridge refuses for what they are do not stop the others', async () => {
    const records = await recordsOf(used, 16);
    const put: BusEntry[] = [];
    let bad: string | undefined;
    const { all, failed } = services(used, async (entries) => {
      bad ??= entries[0]?.detail;
      if (entries.some(({ detail }) => detail === bad))
        throw Object.assign(new Error('too large'), { name: 'ValidationException' });
      put.push(...entries);
    });
    expect(await consumeRecords(records, all)).toBe(records.length);
    expect([failed.length, put.length]).toEqual([1, records.length - 1]);
  });

  it('of which EventBridge refuses one event of a call are put alone: the others of it are sent once more at most', async () => {
    const bugless = await start();
    await useBug(bugless);
    await useBug(bugless);
    const records = await recordsOf(bugless, 14);
    const bus = eventBus('test', bugless.bus);
    await bugless.take(10);
    const { all, failed } = services(bugless, bus.put);
    let bad: string | undefined;
    bugless.faults.take = (event) => {
      bad ??= idOf(event);
      return idOf(event) === bad ? 'MalformedDetail' : undefined;
    };
    for (let times = 0; times < 4; times += 1) expect(await consumeRecords(records, all)).toBe(0);
    const early = bugless.received.splice(0).map(idOf);
    expect(early.length).toBe(new Set(early).size);
    expect(await consumeRecords(await recordsOf(bugless, 16), all)).toBe(records.length);
    expect(failed.length).toBe(1);
    const sent = bugless.received.map(idOf);
    expect(sent).not.toContain(bad);
    expect(new Set(sent).size).toBe(sent.length);
  });

  const named = (name: string, fields: object = {}) =>
    Object.assign(new Error('no'), { name, $fault: 'client', ...fields });
  it.each([
    ['throttling', named('ThrottlingException')],
    ['a used up limit of requests', named('RequestLimitExceeded')],
    ['an error of the service', named('InternalException', { $fault: 'server' })],
    [
      'a response 503 that cannot be read',
      Object.assign(new SyntaxError('<'), { $response: { statusCode: 503 } }),
    ],
    ['a status 500', named('Unknown', { $metadata: { httpStatusCode: 500 } })],
    ['a time-out', named('TimeoutError')],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['an unknown host', Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })],
    ['a connection that was lost', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
    ['denied access', named('AccessDeniedException')],
    ['expired credentials', named('ExpiredTokenException')],
    ['credentials that are not known', named('UnrecognizedClientException')],
    ['missing credentials', named('CredentialsProviderError')],
    ['retries that were used up', new RetriesExhausted('Gave up')],
    ['a cause that is one of these', new Error('failed', { cause: named('AccessDenied') })],
  ])('are tried again for two hours, and as long as they live, after %s', async (_, error) => {
    const put: BusEntry[] = [];
    let isDown = true;
    const { all, failed, lines } = services(used, async (entries) => {
      if (isDown) throw error;
      put.push(...entries);
    });
    for (const minutes of [0, 16, 120, 21 * 60]) {
      expect(await consumeRecords(await recordsOf(used, minutes), all)).toBe(0);
    }
    expect([failed, put, lines.length]).toEqual([[], [], 4]);
    isDown = false;
    const records = await recordsOf(used, 120);
    expect(await consumeRecords(records, all)).toBe(records.length);
    const ids = put.map(({ detail }) => JSON.parse(detail).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  it.each([
    ['an invalid call', named('ValidationException')],
    ['a bus that does not exist', named('ResourceNotFoundException')],
    ['an error of this code', new TypeError('undefined')],
    ['a value that is too long', new RangeError('too long')],
    ['an unknown one', new Error('unknown')],
  ])('are set aside after 15 minutes, and not before, after %s', async (_, error) => {
    const { all, failed } = services(used, () => Promise.reject(error));
    expect(await consumeRecords(await recordsOf(used, 14), all)).toBe(0);
    expect(failed).toEqual([]);
    const records = await recordsOf(used, 15);
    expect(await consumeRecords(records, all)).toBe(records.length);
    expect(failed).toEqual(records);
  });

  it('are not read on while the table is unavailable', async () => {
    const records = await recordsOf(used);
    const { all, failed, lines } = services(used, () => Promise.resolve());
    let reads = 0;
    const byId = () => {
      reads += 1;
      return Promise.reject(named('ThrottlingException'));
    };
    const sources = { ...all.sources, bugs: { ...all.sources.bugs, byId } };
    const many = Array.from({ length: 100 }, () => records[0]);
    expect(await consumeRecords(many, { ...all, sources })).toBe(0);
    expect([failed, lines.length]).toEqual([[], 1]);
    expect(reads).toBeLessThan(many.length);
  });

  it('that are set aside lie in the queue with their key and the reason, without values', async () => {
    const bodies: string[] = [];
    const sqs = createServer(async (request, response) => {
      const { MessageBody } = (await json(request)) as { MessageBody: string };
      bodies.push(MessageBody);
      const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody }));
    });
    const { url, stop } = await listen(sqs);
    afterFile(stop);
    const handler = await loadConsumer('events', {
      ...{ TABLE_NAME: used.table.name, EVENT_BUS_NAME: 'test', EVENTS_ENDPOINT: used.bus },
      ...{ DYNAMODB_ENDPOINT: dynamoDbEndpoint(), FAILED_EVENTS_QUEUE_URL: `${url}/1/failed` },
    });
    const { dynamodb } = POISON;
    const fields = { M: { summary: { S: 'secret' } } };
    const record = { dynamodb: { ...dynamodb, NewImage: { ...dynamodb.NewImage, fields } } };
    const lines = jsonLines(
      await written(async () =>
        expect(await handler({ Records: [record] })).toEqual({ batchItemFailures: [] }),
      ),
    );
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { key: { pk: 'CHANGED#0', sk: 'x' }, error: 'SyntaxError', record: POISON },
    ]);
    expect(lines).toMatchObject([{ message: 'A record of the stream cannot become events' }]);
    expect(JSON.stringify([bodies, lines])).not.toContain('secret');
  });

  it('are counted, and those that are kept have a line of the log', async () => {
    const [record] = await recordsOf(used);
    const { all, lines, counted } = services(used, () => Promise.resolve());
    await consumeRecords([record, POISON], all);
    expect(counted).toEqual({ EventsSent: expect.any(Number), EventsRefused: 1 });
    expect(lines).toEqual([{ message: 'A record of the stream cannot become events', attempt: 1 }]);
  });

  it.each(['EventBridge', 'the table'])(
    'that %s denies are in the log and the metrics of the function, without values',
    async (what) => {
      const records = (await recordsOf(used)).map((record, index) => ({
        ...record,
        dynamodb: { ...record.dynamodb, SequenceNumber: String(index) },
      }));
      const denying = createServer((request, response) => {
        request.resume();
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' });
        const message = 'User ann@example.org is not authorized to put "It crashes." on the bus';
        response.end(JSON.stringify({ __type: 'AccessDeniedException', message }));
      });
      const { url, stop } = await listen(denying);
      afterFile(stop);
      const handler = await loadConsumer('events', {
        ...{ TABLE_NAME: used.table.name, EVENT_BUS_NAME: 'test', SERVICE_NAME: 'Bugless-test' },
        EVENTS_ENDPOINT: what === 'EventBridge' ? url : used.bus,
        DYNAMODB_ENDPOINT: what === 'EventBridge' ? dynamoDbEndpoint() : url,
        REQUEST_LOG: 'json',
      });
      const lines = jsonLines(
        await written(async () => {
          for (const _ of [1, 2]) {
            const { batchItemFailures } = await handler({ Records: records });
            expect(batchItemFailures).toEqual([{ itemIdentifier: '0' }]);
          }
        }),
      );
      const failures = lines.filter(({ level }) => level === 'ERROR');
      // Once a minute.
      expect(failures).toMatchObject([
        {
          ...{ message: 'Changes cannot become events now', service: 'Bugless-test' },
          ...{ bug: expect.any(Number), revision: expect.any(Number), attempt: 1 },
          request_id: JSON.parse(records[0]?.dynamodb.NewImage.events.S ?? '').request,
          error: { name: 'AccessDeniedException' },
        },
      ]);
      expect(JSON.stringify(lines)).not.toMatch(/ann@|crashes/);
      expect(lines.filter((line) => '_aws' in line).map(({ EventsRefused }) => EventsRefused)).toEqual([
        ...[records.length, records.length],
      ]);
    },
  );
});
