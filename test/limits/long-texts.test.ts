import { beforeAll, describe, expect, it } from 'vitest';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { userIndexEntry } from '../../lib/people/user-index.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey, userIndexKey, userKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { type Meter, startMeter } from '../bench/meter.ts';
import { afterFile } from '../support/after-file.ts';
import { type Bugless, newTable, serve } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { type Call, type Fate, faults, startFaultProxy } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { indexCopies } from '../support/index-copies.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

/** What requests read where bugs have the longest texts and lists, on tables of their own. */

const KEY = 'K'.repeat(40);
const INSIDER = 'I'.repeat(40);
const CATALOGUE = {
  groups: [{ name: 'insiders' }],
  users: [
    { login: REPORTER, api_keys: [{ key: KEY }] },
    { login: 'insider@example.org', api_keys: [{ key: INSIDER }], groups: ['insiders'] },
  ],
  products: [aProduct()],
  bugs: [aBug(1)],
};

let meter: Meter;
beforeAll(async () => {
  meter = await startMeter(dynamoDbEndpoint());
  afterFile(() => meter.stop());
});

/** An instance that remembers nothing, whose calls are measured. */
const cold = (table: Table): Promise<Bugless> =>
  serve(table, { ...SILENT, DYNAMODB_ENDPOINT: meter.endpoint });

/** The response of an instance, and the read units that it took. */
async function measured(instance: Bugless, path: string, key?: string) {
  meter.take();
  const { status, body } = await instance.call('GET', path, key === undefined ? {} : { key });
  const units = meter.take().reduce((sum, { readUnits }) => sum + readUnits, 0);
  return { status, body, units };
}

/** How an entry of the change log is written: as now, or without values, as versions before 1.2.0 did where it is long. */
type Writer = (content: object) => object;
const asNow: Writer = (content) => content;
const asFormer: Writer = (content) => ({ ...content, shortened: undefined, units: undefined });

/** A table with copies of a bug that differ. */
async function filled(
  count: number,
  fields: (n: number) => Partial<BugItem>,
  written: Writer = asNow,
  catalogue: object = CATALOGUE,
): Promise<Table> {
  const table = await newTable(parseCompleteCatalogue(catalogue));
  const bug = bugItem.parse(await readItem(table, bugKey(1), bugItem));
  const items = times(count, (n) => {
    const copy = { ...bug, ...fields(n), id: 100 + n };
    const { key, content } = changeEntry(copy);
    return [
      { ...bugKey(copy.id), ...copy },
      { ...key, ...written(content) },
    ];
  });
  await batchWrite(table, items.flat());
  return table;
}

const ids = ({ body }: { body: { bugs: { id: number }[] } }) => body.bugs.map(({ id }) => id);
const SUMMARIES = '/rest/bug?include_fields=id,summary&summary=bug';

describe('bugs with texts of 60 KB', () => {
  const texts = (n: number) => ({ whiteboard: `${n} ${'w'.repeat(60_000)}`, url: `u${'v'.repeat(60_000)}` });

  it('take a new instance no more than their entries in the change log', async () => {
    const table = await filled(40, texts);
    const found = await measured(await cold(table), SUMMARIES);
    expect([found.status, ids(found)]).toEqual([200, [1, ...times(40, (n) => 100 + n)]]);
    expect(found.units).toBeLessThan(100);
  });

  it('whose entries have no values are read by one instance for all', async () => {
    const table = await filled(50, texts, asFormer);
    const first = await measured(await cold(table), SUMMARIES);
    expect([first.status, ids(first).length]).toEqual([200, 51]);
    const second = await measured(await cold(table), SUMMARIES);
    expect(ids(second)).toEqual(ids(first));
    expect(second.units).toBeLessThan(100);
  });

  it('whose entries have no values are read once, though the database is slow', async () => {
    const table = await filled(30, texts, asFormer);
    let read = 0;
    let left = 0;
    const bugsIn = ({ body }: Call) => JSON.stringify(body).split('"BUG#').length - 1;
    const decide = (call: Call): Fate => {
      const bugs = call.operation === 'BatchGetItem' ? bugsIn(call) : 0;
      if (bugs === 0) return 'pass';
      if (left <= 0) return faults.throttling;
      left -= 1;
      read += bugs;
      return 'pass';
    };
    const proxy = await useFaultProxy({ decide });
    const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '400', ...SILENT };
    const instance = await serve(table, settings);
    let reply = await instance.call('GET', SUMMARIES);
    expect(reply.status).toBe(503);
    for (let attempt = 0; reply.status === 503 && attempt < 40; attempt += 1) {
      left = 1;
      reply = await instance.call('GET', SUMMARIES);
    }
    expect([reply.status, reply.body.bugs.length]).toEqual([200, 31]);
    expect(read).toBeLessThan(30 * 2);
  });
});

describe('bugs of 130 KB in segments', () => {
  /** A few more than 13 MB. */
  const COUNT = 106;
  let table: Table;
  beforeAll(async () => {
    table = await filled(COUNT, () => ({ whiteboard: 'x'.repeat(65_000), url: 'y'.repeat(65_000) }));
    await completeIndex(table);
  });

  it.each([
    ['a condition on their texts', '/rest/bug?include_fields=id&whiteboard=x'],
    ['an order by their texts', '/rest/bug?include_fields=id&summary=bug&order=status_whiteboard&limit=5'],
    ['whole bugs', '/rest/bug?summary=bug'],
    ['their texts', '/rest/bug?summary=bug&include_fields=whiteboard'],
    ['their number by their texts', '/rest/bug?whiteboard=x&count_only=1'],
  ])('%s is refused before they are read, without an API key', async (_, path) => {
    const { status, body, units } = await measured(await cold(table), path);
    expect([status, body.code]).toEqual([400, 32000]);
    expect(units).toBeLessThan(100);
  });

  it('are read once for a caller with an API key', async () => {
    const found = await measured(
      await cold(table),
      '/rest/bug?include_fields=id&whiteboard_type=substring&whiteboard=x',
      KEY,
    );
    expect([found.status, found.body.bugs?.length]).toEqual([200, COUNT]);
    expect(found.units).toBeLessThan(COUNT * 33 + 100);
  });

  it('are refused by their ids, of which an anonymous caller may read 13 MB', async () => {
    const query = times(COUNT, (n) => `ids=${100 + n}`).join('&');
    const { status, body, units } = await measured(await cold(table), `/rest/bug/1?${query}`);
    expect([status, body.code]).toEqual([400, 32000]);
    expect(units).toBeLessThan(3_700);
    const search = await measured(await cold(table), `/rest/bug?id=${times(COUNT, (n) => 100 + n).join()}`);
    expect([search.status, search.body.code]).toEqual([400, 32000]);
    expect(search.units).toBeLessThan(3_700);
  });

  it('that are hidden are refused with 503, and not by a bound that tells their number', async () => {
    const hidden = await filled(200, () => ({
      ...{ whiteboard: 'x'.repeat(65_000), url: 'y'.repeat(65_000), groups: ['insiders'] },
    }));
    const query = times(200, (n) => `ids=${100 + n}`).join('&');
    const { status, units } = await measured(await cold(hidden), `/rest/bug/1?${query}&permissive=1`);
    expect(status).toBe(503);
    expect(units).toBeLessThan(6_200);
  });
});

it('attempts without a response count as what they may have taken', async () => {
  const table = await filled(60, () => ({ whiteboard: 'x'.repeat(65_000), url: 'y'.repeat(65_000) }));
  const query = times(60, (n) => `ids=${100 + n}`).join('&');
  let executed = 0;
  const proxy = await startFaultProxy({
    target: meter.endpoint,
    decide(call) {
      const bugs =
        call.operation === 'BatchGetItem' ? JSON.stringify(call.body).split('"BUG#').length - 1 : 0;
      if (bugs < 2) return 'pass';
      executed += 33 * bugs;
      return 'close after';
    },
  });
  afterFile(() => proxy.stop());
  const instance = await serve(table, { ...SILENT, DYNAMODB_ENDPOINT: proxy.endpoint });
  const { status } = await instance.call('GET', `/rest/bug/1?${query}`);
  expect(status).toBe(503);
  expect(executed).toBeGreaterThan(1_000);
  expect(executed).toBeLessThan(9_000);
});

it('a request that is refused leaves what others wait for at the same time', async () => {
  const table = await filled(210, () => ({ whiteboard: 'w'.repeat(65_000) }), asFormer);
  const instance = await cold(table);
  const [refused, found] = await Promise.all([
    instance.call('GET', '/rest/bug?whiteboard_type=substring&whiteboard=w'),
    instance.call('GET', SUMMARIES, { key: KEY }),
  ]);
  expect([refused.status, found.status, found.body.bugs?.length]).toEqual([400, 200, 211]);
});

it('open bugs with texts that segments leave out do not end the quicksearch of anonymous callers', async () => {
  const table = await filled(520, () => ({ whiteboard: 'w'.repeat(600) }), asNow, {
    ...CATALOGUE,
    bugs: [aBug(1, { comments: [aComment('about parrots')] })],
  });
  await completeIndex(table);
  const found = await measured(await cold(table), '/rest/bug?include_fields=id&quicksearch=parrots');
  expect([found.status, ids(found)]).toEqual([200, [1]]);
  expect(found.units).toBeLessThan(800);
});

it('people on a long CC list are shown by the index of users', async () => {
  // More than are read one by one.
  const logins = times(510, (n) => `Person.${n}@example.org`);
  const table = await filled(1, () => ({ cc: logins.toSorted() }));
  const users = logins.map((login, n) => ({ id: 1_000 + n, login, real_name: `Né ${n}`, groups: [] }));
  await batchWrite(
    table,
    users.flatMap((user) => [
      { ...userKey(user.login), ...user },
      { ...userIndexKey(user.id), ...userIndexEntry(user) },
    ]),
  );
  const instance = await cold(table);
  const first = await measured(instance, '/rest/bug/100');
  expect(first.units).toBeLessThan(150);
  const [bug] = (await measured(instance, '/rest/bug/100')).body.bugs;
  expect(bug.cc_detail).toHaveLength(510);
  expect(bug.cc_detail[0]).toEqual({
    id: expect.any(Number),
    ...{ name: 'Person.0@example.org', real_name: 'Né 0', email: 'Person.0@example.org' },
  });
});

it('a bug of a large product takes as much as one of a small one', async () => {
  const part = (n: number) => ({ name: `Part ${n}`, description: 'd'.repeat(300) });
  const table = await newTable(
    parseCompleteCatalogue({
      ...CATALOGUE,
      products: [{ ...aProduct(), components: [...(aProduct().components ?? []), ...times(400, part)] }],
    }),
  );
  const instance = await cold(table);
  await measured(instance, '/rest/bug/1', KEY);
  const read = await measured(instance, '/rest/bug/1', KEY);
  expect(read.status).toBe(200);
  expect(read.units).toBeLessThanOrEqual(6);
  meter.take();
  const { status } = await instance.call('PUT', '/rest/bug/1', { key: KEY, body: { whiteboard: 'w' } });
  const units = meter.take().reduce((sum, call) => sum + call.readUnits, 0);
  expect(status).toBe(200);
  expect(units).toBeLessThanOrEqual(5);
});

it('parts of the comments of too many bugs are refused before a comment is read', async () => {
  const table = await newTable(parseCompleteCatalogue(CATALOGUE));
  await indexCopies(
    table,
    times(600, (n) => 100 + n),
    {},
    0,
  );
  for (const query of [
    'longdesc=ript',
    'longdesc_type=substring&longdesc=ript',
    'longdesc=ript&count_only=1',
  ]) {
    const refused = await measured(await cold(table), `/rest/bug?${query}`);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('anywords')]);
    expect(refused.units).toBeLessThan(50);
  }
  const some = await measured(await cold(table), '/rest/bug?longdesc=ript&limit=1&id=1');
  expect([some.status, ids(some)]).toEqual([200, [1]]);
});
