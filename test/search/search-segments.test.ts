import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { searchIndexCheck } from '../../infra/admin/check/search-index.ts';
import { timestamp } from '../../lib/base/time.ts';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { putBugActions } from '../../lib/bugs/store/write-bug.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { manifestItem, segmentItem } from '../../lib/search/index/repository.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey, changedPartitions, searchManifestKey, segmentKey } from '../../lib/table/keys.ts';
import { anyItem, readItem, readRange } from '../../lib/table/read.ts';
import { batchWrite, deleteItem, putItem, transactWrite } from '../../lib/table/write.ts';
import { newTable, serve, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';
import { type Call, type Fate, faults } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { indexCopies } from '../support/index-copies.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

/** Searches of tables whose bugs are in segments of the search index. */

const KEY = 'K'.repeat(40);

const ROUNDS = Math.ceil(Math.min(200, Number(process.env['RUNS'] ?? 20)) / 10);

const tableWith = (bugs: number) =>
  newTable(
    parseCompleteCatalogue({
      groups: [{ name: 'editbugs' }],
      users: [{ login: REPORTER, groups: ['editbugs'], api_keys: [{ key: KEY }] }],
      products: [aProduct()],
      bugs: times(bugs, (n) => aBug(n + 1)),
    }),
  );

/** What the integrity check says of the search index. */
async function findingsIn(table: Table) {
  const check = searchIndexCheck(table);
  await check.scan(await allItems(table));
  return check.finish?.();
}

/** Writes copies of bug 1 as they are after a change. @param isStored false: in the change log alone, for counts */
async function writeCopies(
  table: Table,
  ids: readonly number[],
  fields: Partial<BugItem>,
  isStored = true,
): Promise<void> {
  const bug = await readItem(table, bugKey(1), bugItem);
  if (bug === undefined) throw new Error('Bug 1 is missing');
  const now = timestamp(new Date());
  const items = ids.flatMap((id) => {
    const copy = { ...bug, ...fields, id, aliases: [], last_change_time: now, logged_at: undefined };
    const { key, content } = changeEntry(copy);
    return [...(isStored ? [{ ...bugKey(id), ...copy }] : []), { ...key, ...content }];
  });
  await batchWrite(table, items);
}

const numbers = (from: number, count: number) => times(count, (n) => from + n);
const manifestOf = async (table: Table) => {
  const item = await readItem(table, searchManifestKey, manifestItem);
  return item === undefined ? undefined : JSON.parse(item.content);
};
const segmentsIn = async (table: Table): Promise<string[]> =>
  (await allItems(table)).map(({ pk }) => pk).filter((pk) => pk.startsWith('SEGMENT#'));
const count = async (table: Table, query: string, settings = {}) => {
  const instance = await serve(table, settings);
  const { status, body } = await instance.call('GET', `/rest/bug?count_only=1&${query}`, { key: KEY });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.bug_count;
};
const open = (table: Table, mayWrite = true, now = () => new Date()) =>
  openBugIndex(table, bugRepository(table, now), now, mayWrite);

describe('a search that finds many changes', () => {
  /** A table whose changes no search has saved, until the third of these tests. */
  const unsaved = useStarted(async () => {
    const table = await tableWith(1);
    await writeCopies(table, numbers(10, 510), { whiteboard: 'copied' });
    return table;
  });

  it('does not write where the service is read-only', async () => {
    expect(await count(unsaved, 'whiteboard=copied', { READ_ONLY: 'true' })).toBe(510);
    expect(await manifestOf(unsaved)).toBeUndefined();
  });

  it('finds them though they cannot be saved', async () => {
    const proxy = await useFaultProxy({
      decide: ({ operation }) => (operation === 'PutItem' ? faults.throttling : 'pass'),
    });
    const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '4000', ...SILENT };
    expect(await count(unsaved, 'whiteboard=copied', settings)).toBe(510);
  });

  it('leaves them to other instances as a segment', async () => {
    const table = unsaved;
    expect(await manifestOf(table)).toBeUndefined();
    expect(await count(table, 'whiteboard=copied')).toBe(510);
    const { recent, ranges } = await manifestOf(table);
    expect([recent.length, recent[0].rows, ranges]).toEqual([1, 511, [{ from: 0 }]]);
    expect(await count(table, 'whiteboard=copied')).toBe(510);
    expect(await findingsIn(table)).toEqual([]);
  });

  it('writes those of a range with the bugs that it has, and removes the segments before', async () => {
    const table = await tableWith(1);
    await indexCopies(table, numbers(10, 2_010), { whiteboard: 'first' });
    expect(await count(table, 'whiteboard=first')).toBe(2_010);
    const before = await segmentsIn(table);
    // More than are kept as recent ones, and then more bugs than a range has.
    await writeCopies(table, numbers(10, 100), { whiteboard: 'second', status: 'RESOLVED', revision: 5 });
    await writeCopies(table, numbers(3_000, 2_000), { whiteboard: 'third' });
    expect(await count(table, 'whiteboard=second')).toBe(100);
    const { recent, ranges } = await manifestOf(table);
    expect(recent).toEqual([]);
    expect(ranges.map(({ from }: { from: number }) => from)).toEqual([0, expect.any(Number)]);
    expect((await segmentsIn(table)).filter((segment) => before.includes(segment))).toEqual([]);
    for (const [text, expected] of [
      ['first', 1_910],
      ['second', 100],
      ['third', 2_000],
    ]) {
      expect(await count(table, `whiteboard=${text}`)).toBe(expected);
    }
    expect(await count(table, 'status=__open__')).toBe(1 + 1_910 + 2_000);
    expect(await findingsIn(table)).toEqual([]);
  });

  it('loses nothing when many instances save at once, while bugs change', async () => {
    const table = await tableWith(1);
    await writeCopies(table, numbers(10, 560), { whiteboard: 'first' });
    const instances = times(4, () => open(table));
    for (let round = 0; round < ROUNDS; round += 1) {
      const fields = { whiteboard: `round ${round}`, revision: round + 1 };
      const written = writeCopies(table, numbers(10 + 100 * round, 550), fields);
      await Promise.all(instances.map((index) => index.read(() => true)));
      await written;
      await Promise.all(instances.map((index) => index.complete(0)));
      expect(await count(table, `whiteboard=round ${round}`)).toBe(550);
    }
    const named = new Set(await open(table).segmentIds());
    expect((await segmentsIn(table)).sort()).toEqual([...named].map((id) => segmentKey(id).pk).sort());
    expect(await findingsIn(table)).toEqual([]);
  });

  it('does not take its own manifest for that of another when the response is lost', async () => {
    const table = await tableWith(1);
    await writeCopies(table, numbers(10, 510), { whiteboard: 'copied' });
    let isLost = false;
    const decide = ({ operation, body }: Call): Fate => {
      if (operation !== 'PutItem' || body.Item?.pk?.S !== searchManifestKey.pk || isLost) return 'pass';
      isLost = true;
      return 'close after';
    };
    const proxy = await useFaultProxy({ decide });
    expect(await count(table, 'whiteboard=copied', { DYNAMODB_ENDPOINT: proxy.endpoint })).toBe(510);
    expect(isLost).toBe(true);
    expect(await count(table, 'whiteboard=copied')).toBe(510);
    expect(await findingsIn(table)).toEqual([]);
  });
});

describe('an instance that has read segments', () => {
  it('goes on with those that replace them', async () => {
    const table = await tableWith(1);
    await writeCopies(table, numbers(10, 510), { whiteboard: 'copied' }, false);
    await completeIndex(table);
    const instance = await serve(table);
    const find = async (query: string) =>
      (await instance.call('GET', `/rest/bug?count_only=1&${query}`, { key: KEY })).body.bug_count;
    expect(await find('status=RESOLVED')).toBe(0);
    await writeCopies(table, [20], { status: 'RESOLVED', whiteboard: 'copied', revision: 3 });
    await completeIndex(table);
    // It has not read the open ones yet, and their segment is gone.
    expect(await find('whiteboard=copied')).toBe(510);
    expect(await find('status=RESOLVED')).toBe(1);
  });

  it('reads a segment again that an eventually consistent read does not have yet', async () => {
    const table = await tableWith(3);
    await completeIndex(table);
    let isHidden = false;
    const decide = ({ operation, body }: Call): Fate => {
      const isEventual = body.RequestItems?.[table.name]?.ConsistentRead === false;
      if (operation !== 'BatchGetItem' || !isEventual) return 'pass';
      isHidden = true;
      return { status: 200, error: 'None', Responses: {}, UnprocessedKeys: {} };
    };
    const proxy = await useFaultProxy({ decide });
    expect(await count(table, 'summary=Bug', { DYNAMODB_ENDPOINT: proxy.endpoint })).toBe(3);
    expect(isHidden).toBe(true);
  });
});

it('the change log has what an interrupted run has written, days later', async () => {
  const table = await tableWith(1);
  await completeIndex(table);
  const bug = await readItem(table, bugKey(1), bugItem);
  if (bug === undefined) throw new Error('Bug 1 is missing');
  const old = { ...bug, id: 2, aliases: [], last_change_time: '2024-01-01T00:00:00Z' };
  await transactWrite(table, putBugActions(undefined, old, timestamp(new Date())));
  const later = () => new Date(Date.now() + 3 * 86_400_000);
  // What expires is gone by then.
  for (const pk of changedPartitions) {
    const entries = await readRange(table, { pk }, anyItem);
    expect(entries.filter(({ expires_at }) => expires_at !== undefined)).toEqual([]);
  }
  const { others, segments } = await open(table, true, later).read(() => true);
  expect([...others].map(({ id }) => id)).toEqual([2]);
  expect(segments.map(({ segment }) => segment.rows)).toEqual([1]);
});

describe('a search index that is hard to bring up to date', () => {
  it('is read where more bugs than a portion were written within seconds, and where their times are to come', async () => {
    const table = await tableWith(1);
    const bug = bugItem.parse(await readItem(table, bugKey(1), bugItem));
    const entries = numbers(10, 5_100).map((n) => {
      const time = n % 2 === 0 ? timestamp(new Date()) : '2099-01-01T00:00:00Z';
      const { key, content } = changeEntry({
        ...bug,
        id: 4 * n,
        aliases: [],
        last_change_time: time,
        logged_at: time,
      });
      return { ...key, ...content };
    });
    await batchWrite(table, entries);
    const { others } = await open(table).read(() => true);
    expect([...others]).toHaveLength(5_101);
    await open(table).complete(0);
    const { segments } = await open(table).read(() => true);
    expect(segments.reduce((sum, { segment }) => sum + segment.rows, 0)).toBe(5_101);
  });

  it('is not saved again and again when that fails', async () => {
    const table = await tableWith(1);
    await writeCopies(table, numbers(10, 510), { whiteboard: 'copied' }, false);
    const proxy = await useFaultProxy({
      decide: ({ operation, body }) =>
        operation === 'PutItem' && body.Item?.pk?.S === searchManifestKey.pk ? faults.throttling : 'pass',
    });
    const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '2000', ...SILENT };
    const instance = await serve(table, settings);
    for (let n = 0; n < 3; n += 1) {
      const { body } = await instance.call('GET', '/rest/bug?count_only=1&whiteboard=copied', { key: KEY });
      expect(body).toEqual({ bugs: [], bug_count: 510 });
    }
    expect(await segmentsIn(table)).toHaveLength(1);
  });

  it('is read by a read-only service after many changes', async () => {
    const table = await tableWith(1);
    await completeIndex(table);
    await writeCopies(table, numbers(10, 400), { whiteboard: 'copied' }, false);
    expect(await count(table, 'whiteboard=copied', { READ_ONLY: 'true', ...SILENT })).toBe(400);
  });
});

it('duplicates are found in segments that do not have their originals, as those of another version', async () => {
  const table = await tableWith(3);
  await writeCopies(table, [2], { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: 1 });
  await completeIndex(table);
  for (const pk of await segmentsIn(table)) {
    const segment = await readItem(table, { pk, sk: 'SEGMENT' }, segmentItem);
    // Another attribute, with a name that is as long.
    const content = zstdDecompressSync(segment?.data ?? '').toString('latin1');
    const other = Buffer.from(content.replace('"dupe_of"', '"cf_gone"'), 'latin1');
    await putItem(table, { ...{ pk, sk: 'SEGMENT' }, ...segment, data: zstdCompressSync(other) });
  }
  const { call } = await serve(table, SILENT);
  const get = async (query: string) => (await call('GET', `/rest/bug${query}`, { key: KEY })).body.bugs;
  expect(await get('/1?include_fields=duplicates')).toEqual([{ duplicates: [2] }]);
  expect(await get('?f1=dupe_count&o1=equals&v1=1&include_fields=id')).toEqual([{ id: 1 }]);
});

it.each<[string, (table: Table) => Promise<void>]>([
  [
    'a segment is missing',
    async (table) => {
      for (const pk of await segmentsIn(table)) await deleteItem(table, { pk, sk: 'SEGMENT' });
    },
  ],
  [
    'a segment is damaged',
    async (table) => {
      for (const pk of await segmentsIn(table)) {
        await putItem(table, {
          pk,
          sk: 'SEGMENT',
          data: Buffer.from('damaged'),
          written: timestamp(new Date()),
        });
      }
    },
  ],
  [
    'a bug is not in it',
    async (table) => {
      const bug = await readItem(table, bugKey(1), bugItem);
      await putItem(table, { ...bugKey(1), ...bug, whiteboard: 'changed past the log' });
    },
  ],
  [
    'it has a bug that does not exist',
    async (table) => {
      await writeCopies(table, [50], {});
      await completeIndex(table);
      const { key } = changeEntry(bugItem.parse(await readItem(table, bugKey(50), bugItem)));
      for (const one of [bugKey(50), key]) await deleteItem(table, one);
    },
  ],
  ['its manifest is damaged', (table) => putItem(table, { ...searchManifestKey, edition: 7, content: '{' })],
])('a damaged search index is found and repaired when %s', async (_, damage) => {
  const table = await tableWith(3);
  await completeIndex(table);
  await damage(table);
  const { status } = await (await serve(table, SILENT)).call('GET', '/rest/bug?summary=Bug', { key: KEY });
  expect([200, 500, 503]).toContain(status);
  expect((await checkTable(table)).found).not.toEqual([]);
  await repairTable(table);
  expect((await checkTable(table)).found).toEqual([]);
  expect(await count(table, 'summary=Bug')).toBe(3);
});
