import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../lib/base/time.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { putBugActions } from '../../lib/bugs/store/write-bug.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { manifestItem } from '../../lib/search/index/repository.ts';
import { tableClock } from '../../lib/table/client.ts';
import { aliasKey, bugKey, searchManifestKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite, putItem, transactWrite } from '../../lib/table/write.ts';
import { adminOf } from '../support/admin.ts';
import { type Bugless, newTable, referenceCatalogue, serve, useStarted } from '../support/bugless.ts';
import { completeIndex } from '../support/complete-index.ts';
import { copyBug } from '../support/copy-bug.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { sample } from '../support/sample.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';
import { allItems } from '../support/table-items.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';
import { jsonLines, written } from '../support/written.ts';

const MINUTE = 60_000;

/** Without the long ones, because the tests read all items again and again. */
function fewBugs() {
  const { bugs, ...others } = referenceCatalogue();
  return { ...others, bugs: bugs.filter(({ id = 0 }) => id <= 2) };
}

/** A table whose DynamoDB has a clock that is off from this machine's, which can be changed. */
async function withClock(aheadMs: number | undefined) {
  const clock = { aheadMs };
  const date = () => (clock.aheadMs === undefined ? undefined : new Date(Date.now() + clock.aheadMs));
  const table = await newTable(fewBugs());
  const proxy = await useFaultProxy({ date });
  return { clock, table, proxy };
}

const catalogue = (bugs: number) => ({
  products: [aProduct(100, 'Clocks')],
  users: [{ login: 'reporter@example.com' }],
  bugs: Array.from({ length: bugs }, (_, index) =>
    aBug(900 + index, { product: 'Clocks', comments: [aComment('Description', { id: 900 + index })] }),
  ),
});

const COMMANDS = ['apply', 'check --repair', 'user add new@example.com', 'key create admin@example.com'];

describe.each([
  [5 * MINUTE, /This machine's clock is (5 min 0|4 min 59) s behind DynamoDB's: set it/],
  [-5 * MINUTE, /This machine's clock is 5 min [01] s ahead of DynamoDB's: set it/],
])('where DynamoDB is %i ms ahead', (aheadMs, message) => {
  const read = useStarted(() => withClock(aheadMs));

  it.each(aheadMs > 0 ? COMMANDS : sample(COMMANDS, 2))(
    'npm run admin -- %s writes nothing, and says so',
    (command) =>
      inNewFolder(async (folder) => {
        const { proxy, table } = read;
        // Something to repair.
        await batchWrite(table, [{ ...aliasKey('stray'), bug_id: 1 }]);
        const file = join(folder, 'catalogue.json');
        writeFileSync(file, JSON.stringify(catalogue(3)));
        const before = await allItems(table);
        const args = command === 'apply' ? ['apply', file] : command.split(' ');
        const { code, stderr } = await adminOf(table, proxy.endpoint)(...args);
        expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
        expect(await allItems(table)).toEqual(before);
      }),
  );

  it('requests read, and write nothing until the clock is right again', async () => {
    const { clock, table, proxy } = await withClock(aheadMs);
    const settings = { ...SILENT, DYNAMODB_ENDPOINT: proxy.endpoint };
    const { call } = await serve(table, settings);
    const before = await allItems(table);
    expect((await call('GET', '/rest/bug/1')).status).toBe(200);
    const writes = [
      ['POST', '/rest/bug/1/comment', { comment: 'Text' }],
      ['PUT', '/rest/bug/1', { whiteboard: 'Text' }],
      ['PUT', '/rest/bug/comment/1/tags', { add: ['late'] }],
      ['POST', '/rest/product', { name: 'New', description: 'd', version: '1' }],
    ] as const;
    for (const [method, path, body] of writes) {
      const { status, body: answer } = await call(method, path, { key: keys.admin, body });
      expect([path, status, answer.message]).toEqual([path, 503, expect.stringMatching(message)]);
    }
    expect(await allItems(table)).toEqual(before);
    clock.aheadMs = 9_000;
    expect((await call('GET', '/rest/bug/1')).status).toBe(200);
    for (const [method, path, body] of writes) {
      expect((await call(method, path, { key: keys.admin, body })).status).toBeLessThan(300);
    }
  });
});

it('is logged once, and again after it was right', async () => {
  const { clock, table, proxy } = await withClock(-5 * MINUTE);
  const { call } = await serve(table, { DYNAMODB_ENDPOINT: proxy.endpoint });
  const lines = async () => {
    const text = await written(async () => {
      for (let n = 0; n < 3; n += 1) await call('GET', '/rest/bug/1');
    });
    return jsonLines(text).map(({ message }) => message);
  };
  expect(await lines()).toEqual([expect.stringContaining('ahead of DynamoDB')]);
  expect(await lines()).toEqual([]);
  clock.aheadMs = 0;
  expect(await lines()).toEqual([]);
  clock.aheadMs = 5 * MINUTE;
  expect(await lines()).toEqual([expect.stringContaining('behind DynamoDB')]);
});

it('a request that has begun to write goes on', async () => {
  const table = await newTable(fewBugs());
  let isOff = false;
  const proxy = await useFaultProxy({
    date: () => new Date(Date.now() + (isOff ? 5 * MINUTE : 0)),
    decide({ operation }) {
      if (operation === 'TransactWriteItems') isOff = true;
      return 'pass';
    },
  });
  const { call } = await serve(table, { ...SILENT, DYNAMODB_ENDPOINT: proxy.endpoint });
  const body = { comment: 'Written', comment_tags: ['tagged'] };
  const { status } = await call('PUT', '/rest/bug/1', {
    key: keys.admin,
    body: { comment: { body: 'Written' }, comment_tags: body.comment_tags },
  });
  expect([status, isOff]).toEqual([200, true]);
});

it('apply stops where the clock jumps, and its repetition completes it', () =>
  inNewFolder(async (folder) => {
    const table = await newTable();
    const jump = { isOff: false, isOver: false };
    const proxy = await useFaultProxy({
      date: () => new Date(Date.now() + (jump.isOff ? -5 * MINUTE : 0)),
      decide({ operation, number }) {
        if (operation === 'TransactWriteItems' && !jump.isOver && number > 20) jump.isOff = true;
        return 'pass';
      },
    });
    const file = join(folder, 'catalogue.json');
    writeFileSync(file, JSON.stringify(catalogue(40)));
    const run = () => adminOf(table, proxy.endpoint)('apply', file);
    const stopped = await run();
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('ahead of DynamoDB')]);
    Object.assign(jump, { isOff: false, isOver: true });
    expect((await run()).code).toBe(0);
    const { call } = await serve(table);
    expect((await call('GET', '/rest/bug?product=Clocks&count_only=1')).body.bug_count).toBe(40);
  }));

describe.each([
  ['ahead of', -5 * MINUTE],
  ['behind', 5 * MINUTE],
])('an instance whose clock is 5 minutes %s DynamoDB’s', (_, aheadMs) => {
  /** A table with bugs, a manifest, and an instance with the wrong clock; what `write` writes is dated by DynamoDB's. */
  async function started() {
    const { proxy, table } = await withClock(aheadMs);
    const now = () => new Date(Date.now() + aheadMs);
    await openBugIndex(table, bugRepository(table, now), now, true).complete(0);
    const reader = await serve(table, { ...SILENT, DYNAMODB_ENDPOINT: proxy.endpoint });
    const write = async (id: number, whiteboard: string) => {
      const bug = bugItem.parse(await readItem(table, bugKey(id), bugItem));
      const changed = { ...bug, whiteboard, revision: bug.revision + 1 };
      await transactWrite(table, putBugActions(bug, changed, timestamp(now())));
    };
    const find = async (instance: Bugless, whiteboard: string) => {
      const { status, body } = await instance.call(
        'GET',
        `/rest/bug?include_fields=id&whiteboard=${whiteboard}`,
      );
      return [status, body.bugs?.map(({ id }: { id: number }) => id)];
    };
    return { table, proxy, now, reader, write, find };
  }

  it('finds what others write, also between its searches', async () => {
    const { reader, write, find } = await started();
    await write(1, 'first');
    expect(await find(reader, 'first')).toEqual([200, [1]]);
    await write(2, 'second');
    expect(await find(reader, 'second')).toEqual([200, [2]]);
    await write(2, 'third');
    expect([await find(reader, 'second'), await find(reader, 'third')]).toEqual([
      [200, []],
      [200, [2]],
    ]);
  });

  it('leaves the index as it is to the others', async () => {
    const { table, now, reader, write, find } = await started();
    const manifest = () => readItem(table, searchManifestKey, manifestItem);
    const before = await manifest();
    await copyBug(
      table,
      Array.from({ length: 510 }, (_, n) => 10_000 + n),
      { logged_at: timestamp(now()) },
    );
    expect(await find(reader, 'none')).toEqual([200, []]);
    await write(1, 'after');
    expect(await find(reader, 'after')).toEqual([200, [1]]);
    expect(await manifest()).toEqual(before);
    const right = openBugIndex(table, bugRepository(table, now), now, true);
    await right.read(() => true);
    expect(await manifest()).not.toEqual(before);
  });
});

describe('a manifest of a clock that was ahead', () => {
  async function damaged() {
    const table = await newTable(fewBugs());
    await completeIndex(table);
    const item = await readItem(table, searchManifestKey, manifestItem);
    const content = JSON.parse(item?.content ?? '{}');
    const since = timestamp(new Date(Date.now() + 5 * MINUTE));
    await putItem(table, { ...searchManifestKey, ...item, content: JSON.stringify({ ...content, since }) });
    return table;
  }

  it('hides nothing that is written afterwards', async () => {
    const table = await damaged();
    const { call } = await serve(table, SILENT);
    const search = () => call('GET', '/rest/bug?include_fields=id&whiteboard=afterwards');
    expect((await search()).body.bugs).toEqual([]);
    await call('PUT', '/rest/bug/1', { key: keys.admin, body: { whiteboard: 'afterwards' } });
    expect((await search()).body.bugs).toEqual([{ id: 1 }]);
    const cold = await serve(table, SILENT);
    const found = await cold.call('GET', '/rest/bug?include_fields=id&whiteboard=afterwards');
    expect(found.body.bugs).toEqual([{ id: 1 }]);
  });

  it('is found and repaired by check', async () => {
    const table = await damaged();
    const admin = adminOf(table);
    const { code, stdout } = await admin('check');
    expect([code, stdout]).toEqual([1, expect.stringContaining('which has not come')]);
    expect((await admin('check', '--repair')).code).toBe(0);
    expect((await admin('check')).code).toBe(0);
  });
});

describe('a clock', () => {
  const at = (ms: number) => new Date(ms).toUTCString();
  const NOW = 1_000_000_000_000;

  it.each<[what: string, date: string | undefined, sentAt: number, readAt: number, isOff: boolean]>([
    ['right', at(NOW), NOW, NOW + 20, false],
    ['with the seconds cut off', at(NOW - 999), NOW, NOW + 1, false],
    ['9 s behind', at(NOW + 9_000), NOW, NOW + 20, false],
    ['9 s ahead', at(NOW - 9_000), NOW, NOW + 20, false],
    ['12 s behind', at(NOW + 12_000), NOW, NOW + 20, true],
    ['12 s ahead', at(NOW - 12_000), NOW, NOW + 20, true],
    ['of a slow call', at(NOW + 30_000), NOW, NOW + 60_000, false],
    ['of a function that was frozen before it read the response', at(NOW), NOW, NOW + 3_600_000, false],
    ['without a time', undefined, NOW, NOW + 20, false],
    ['with a text that is none', 'yesterday', NOW, NOW + 20, false],
  ])('%s', (_, date, sentAt, readAt, isOff) => {
    const clock = tableClock();
    clock.note(date, { sentAt, readAt });
    if (isOff) expect(() => clock.requireRight()).toThrow('set it');
    else clock.requireRight();
  });

  it('is right again by the latest response, and not by one without a time', () => {
    const clock = tableClock();
    clock.note(at(NOW + 60_000), { sentAt: NOW, readAt: NOW });
    clock.note(undefined, { sentAt: NOW, readAt: NOW });
    expect(() => clock.requireRight()).toThrow('1 min 0 s behind');
    clock.note(at(NOW), { sentAt: NOW, readAt: NOW });
    clock.requireRight();
  });
});
