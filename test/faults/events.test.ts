import { describe, expect, it } from 'vitest';
import type { ReceivedEvent } from '../../infra/local/events/event-bridge.ts';
import type { BusEntry } from '../../lib/events/bus.ts';
import { changeSources } from '../../lib/events/change.ts';
import { consumeRecords, type RecordServices } from '../../lib/events/consume-records.ts';
import { runAdmin } from '../support/admin.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { allItems } from '../support/table-items.ts';

const { catalogue, keys } = openRecording('extras');
const start = () => startBuglessWithEvents(catalogue(), RECORDED_SETTINGS);
type Bugless = Awaited<ReturnType<typeof start>>;

const BUG = {
  ...{ product: 'Alpha', component: 'UI', version: 'unspecified', summary: 'A bug' },
  ...{ op_sys: 'All', platform: 'All', severity: 'normal', priority: 'High', description: 'It crashes.' },
};

/** Creates a bug, changes it and comments on it. @returns the ids of the events that this makes */
async function useBug(bugless: Bugless): Promise<string[]> {
  const call = (method: string, path: string, body: object) =>
    bugless.call(method, path, { key: keys.get('user'), body });
  const { body } = await call('POST', '/rest/bug', BUG);
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
      // The bug is as it is now, and comments of the same second do not know which revision they followed.
      const same = { bug: expect.anything(), revision: expect.any(Number) };
      expect(replayed).toEqual({ ...(detail as object), ...same });
    }
    await runAdmin([...replay, '--webhook', 'jira'], environment);
    const sources = (await bugless.take(10)).map(({ source }) => source);
    expect(new Set(sources)).toEqual(new Set(['bugless.webhook.jira']));
    await runAdmin([...replay, '--mail'], environment);
    // Each bug was created, changed twice and commented on: in one second, comments may stand alone.
    const mailed = (await bugless.take(18)).filter(({ source }) => source === 'bugless.internal');
    expect(mailed.length).toBeGreaterThanOrEqual(8);
  });

  it('are not replayed where the table has no bus', async () => {
    const { table } = await start();
    const environment = { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
    const replayed = await runAdmin(['events', 'replay', '--since', '2026-01-02'], environment);
    expect([replayed.code, replayed.stderr]).toEqual([1, expect.stringContaining('no event bus')]);
  });
});

describe('records of the stream', () => {
  /** Records of what a bug's changes logged. */
  async function recordsOf(bugless: Bugless) {
    const items = await allItems(bugless.table);
    return items
      .filter(({ pk, events }) => pk.startsWith('CHANGED#') && events !== undefined)
      .map(({ pk, sk, events }) => ({
        dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage: { events: { S: String(events) } } },
      }));
  }
  function services(bugless: Bugless, put: (entries: readonly BusEntry[]) => Promise<void>) {
    const failed: unknown[] = [];
    const { log, lines, counted } = recordedLog();
    const all: RecordServices = {
      sources: changeSources(bugless.table, () => new Date()),
      bus: { put },
      isMailed: false,
      timeoutMs: 10_000,
      keepFailed: (record) => Promise.resolve(void failed.push(record)),
      log,
      failures: new Map(),
    };
    return { all, failed, lines, counted };
  }
  const POISON = {
    dynamodb: { Keys: { pk: { S: 'CHANGED#0' }, sk: { S: 'x' } }, NewImage: { events: { S: '{' } } },
  };

  it('that can never become events are kept, and the others go on', async () => {
    const bugless = await start();
    await useBug(bugless);
    const [record] = await recordsOf(bugless);
    const put: BusEntry[] = [];
    const { all, failed } = services(bugless, (entries) => Promise.resolve(void put.push(...entries)));
    expect(await consumeRecords([POISON, record, POISON], all)).toBe(3);
    expect([failed, put.length]).toEqual([[POISON, POISON], 1]);
  });

  it('that EventBridge refuses for what they are do not stop the others', async () => {
    const bugless = await start();
    await useBug(bugless);
    await useBug(bugless);
    const records = await recordsOf(bugless);
    const put: BusEntry[] = [];
    let bad: string | undefined;
    const { all, failed } = services(bugless, async (entries) => {
      bad ??= entries[0]?.detail;
      if (entries.some(({ detail }) => detail === bad))
        throw Object.assign(new Error('too large'), { name: 'ValidationException' });
      put.push(...entries);
    });
    expect(await consumeRecords(records, all)).toBe(records.length);
    expect([failed.length, put.length]).toEqual([1, records.length - 1]);
  });

  it('stay in the stream while EventBridge is down', async () => {
    const bugless = await start();
    await useBug(bugless);
    const down = Object.assign(new Error('down'), { name: 'ServiceUnavailable' });
    const { all, failed } = services(bugless, () => Promise.reject(down));
    expect(await consumeRecords(await recordsOf(bugless), all)).toBe(0);
    expect(failed).toEqual([]);
  });
});
