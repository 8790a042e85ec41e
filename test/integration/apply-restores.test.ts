import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loggedEvents } from '../../lib/bugs/change-log/logged-change.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { eventRepositories, readChange } from '../../lib/changes/events/change.ts';
import type { Table } from '../../lib/table/client.ts';
import { adminOf, runAdmin } from '../support/admin.ts';
import { startBugless } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { inNewFolder } from '../support/start-process.ts';
import { allItems } from '../support/table-items.ts';

const start = async () => {
  const bugless = await startBugless();
  const get = async (path: string) => (await bugless.call('GET', path, { key: keys.admin })).body;
  const put = (body: object) => bugless.call('PUT', '/rest/bug/1', { key: keys.admin, body });
  const apply = (catalogue: object, ...options: string[]) =>
    inNewFolder(async (folder) => {
      const file = join(folder, 'catalogue.json');
      await writeFile(file, JSON.stringify(catalogue));
      return adminOf(bugless.table)('apply', file, ...options);
    });
  const applyWithBus = (catalogue: object, ...options: string[]) =>
    inNewFolder(async (folder) => {
      const file = join(folder, 'catalogue.json');
      await writeFile(file, JSON.stringify(catalogue));
      return runAdmin(['apply', file, ...options], {
        ...{
          TABLE_NAME: bugless.table.name,
          DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
          EVENT_BUS_NAME: 'bugless',
        },
      });
    });
  return { ...bugless, get, put, apply, applyWithBus };
};

it('a restore of an export is a change that clients see: time, history, audit log', async () => {
  const { get, put, apply, table } = await start();
  const before = (await get('/rest/bug/1')).bugs[0];
  const exported = await exportedCatalogue(table);
  expect(
    (
      await put({
        whiteboard: '[by mistake]',
        priority: 'Low',
        keywords: { set: [] },
        cc: { add: ['user@example.com'] },
      })
    ).status,
  ).toBe(200);
  const mistaken = (await get('/rest/bug/1')).bugs[0];

  const restored = await apply(exported);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(restored.stdout).toContain('bugs changed as operator: 1\n');
  const after = (await get('/rest/bug/1')).bugs[0];
  const { last_change_time, ...values } = before;
  expect(after).toEqual({ ...values, last_change_time: after.last_change_time });
  expect(after.last_change_time >= mistaken.last_change_time).toBe(true);
  expect(after.last_change_time > last_change_time).toBe(true);
  // As a client that reads what changed since it last looked.
  const changed = await get(
    `/rest/bug?include_fields=id,whiteboard&last_change_time=${mistaken.last_change_time}`,
  );
  expect(changed.bugs).toContainEqual({ id: 1, whiteboard: before.whiteboard });

  const history = (await get('/rest/bug/1/history')).bugs[0].history;
  const [mistake, last] = history.slice(-2);
  expect(last.who).toBe('operator');
  const swapped = mistake.changes.map((one: { removed: string; added: string }) => ({
    ...one,
    removed: one.added,
    added: one.removed,
  }));
  expect(last.changes).toEqual(swapped);
  expect((await adminOf(table)('audit')).stdout).toContain('bugs 1');

  expect((await apply(exported)).stdout).toContain('bugs: 0 added, 0 changed');
  expect((await get('/rest/bug/1/history')).bugs[0].history).toEqual(history);
  await expectNoViolations(table);
});

/** Bug 1 as an operator would write it, with another summary. */
const edited = async (table: Table) => {
  const { bugs } = await exportedCatalogue(table);
  const bug = bugs.find(({ id }: { id: number }) => id === 1);
  return { ...bug, last_change_time: undefined, history: [], summary: 'Another summary' };
};

it('a change of a bug by a file is that of --as, who must exist', async () => {
  const { get, apply, table } = await start();
  const bugs = [await edited(table)];
  expect((await apply({ bugs }, '--as', 'nobody@example.com')).stderr).toContain(
    "no user 'nobody@example.com'",
  );
  const { stdout, stderr } = await apply({ bugs }, '--as', 'ADMIN@example.com');
  expect([stderr, stdout]).toEqual(['', expect.stringContaining('bugs changed as ADMIN@example.com: 1')]);
  const last = (await get('/rest/bug/1/history')).bugs[0].history.at(-1);
  expect([last.who, last.changes]).toEqual([
    'admin@example.com',
    [{ field_name: 'summary', removed: expect.any(String), added: 'Another summary' }],
  ]);
});

it('what an import brings keeps the history and times of its source', async () => {
  const { get, table } = await start();
  const [before, history] = [await get('/rest/bug/1'), await get('/rest/bug/1/history')];
  await applyCatalogue(table, parseNumbered({ bugs: [await edited(table)] }));
  const [after] = (await get('/rest/bug/1')).bugs;
  expect([after.summary, after.last_change_time]).toEqual([
    'Another summary',
    before.bugs[0].last_change_time,
  ]);
  expect(await get('/rest/bug/1/history')).toEqual(history);
});

it('tells those who follow a bug of its change with --mail, as of a request', async () => {
  const { applyWithBus, apply, table } = await start();
  const bug = await edited(table);
  expect((await apply({ bugs: [bug] }, '--mail')).stderr).toContain('no event bus');
  const cc = [...bug.cc, 'tracker@example.com'];
  const { code, stderr } = await applyWithBus({ bugs: [{ ...bug, cc }] }, '--mail');
  expect([code, stderr]).toEqual([0, '']);
  const entries = (await allItems(table)).filter(
    ({ pk, events }) => pk.startsWith('CHANGED#') && events !== undefined,
  );
  expect(entries).toHaveLength(1);
  const logged = loggedEvents.parse(JSON.parse(String(entries[0]?.['events'])));
  const sources = eventRepositories(table, table.now);
  const change = await readChange(
    1,
    { ...logged, time: logged.time ?? String(entries[0]?.sk).split('#')[0] ?? '' },
    sources,
  );
  expect(change).toMatchObject({
    ...{ kind: 'changed', who: 'operator' },
    record: { added: { cc: ['tracker@example.com'] } },
    history: expect.arrayContaining([
      { field_name: 'summary', removed: expect.any(String), added: 'Another summary' },
    ]),
  });
  await expectNoViolations(table);
});
