import { describe, expect, it } from 'vitest';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { COLLISIONS } from '../../infra/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { type Route, writes as writesTable } from '../../lib/http/routes.ts';
import { FORMAT_CHECK_MS, type ImportState, tableFormat } from '../../lib/table/format.ts';
import { formatKey } from '../../lib/table/keys.ts';
import { setItem } from '../../lib/table/write.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import {
  fileFor,
  importedTable,
  importInto,
  problemLines,
  required,
  shortCatalogue,
} from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { allItems } from '../support/table-items.ts';

const OPTIONS = { products: ['Closed'] };
const closed: ImportState = {
  source: 'https://old.example.org',
  since: '2026-01-31T08:00:00Z',
  state: 'closed',
};

describe('a table that an import has closed', () => {
  const writes = endpointGroups
    .flatMap(({ routes }): Route[] => [...routes])
    .filter((route) => writesTable(route) && route.isAlwaysOpen !== true);

  it('refuses each route that writes, naming the import, and serves sign-in and reading', async () => {
    const table = await newTable(referenceCatalogue());
    await setItem(table, formatKey, { import: closed });
    const before = await allItems(table);
    const { call } = await serve(table);
    for (const { method, path } of writes) {
      const target = path.replace(/\{(\w+)\+?\}/g, '1');
      for (const key of [keys.admin, undefined]) {
        const { status, headers, body } = await call(method, target, { key, body: {} });
        expect([target, status, body.code, headers.get('retry-after')]).toEqual([target, 503, 32000, '60']);
        expect(body.message).toContain('the import from https://old.example.org ends');
      }
    }
    expect(await allItems(table)).toEqual(before);
    const login = await call('GET', `/rest/login?login=admin@example.com&password=${keys.admin}`);
    expect([login.status, login.body.token]).toEqual([200, expect.any(String)]);
    expect((await call('GET', '/rest/bug?summary=bug', { key: keys.admin })).status).toBe(200);
  });

  it('is written by administration commands', async () => {
    const table = await newTable(referenceCatalogue());
    await setItem(table, formatKey, { import: closed });
    const { code } = await adminOf(table)('user', 'add', 'new@example.org');
    expect(code).toBe(0);
  });

  it('is noticed within a minute by a process that runs', async () => {
    let now = 0;
    let state: ImportState | undefined;
    const format = { format: 1, readable_from: '1.0.0', writable_from: '1.0.0', pending: [] };
    const table = tableFormat(
      async () => ({ ...format, import: state }),
      () => now,
    );
    await table.requireOpen();
    state = closed;
    now = FORMAT_CHECK_MS;
    await expect(table.requireOpen()).rejects.toThrow('https://old.example.org');
    state = { ...closed, state: 'final' };
    now *= 2;
    await table.requireOpen();
  });
});

describe('an import', () => {
  it('closes a table without bugs until --final, which leaves it open', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    expect(await importInto(table, bugzilla.url, OPTIONS)).toMatchObject({ isClosed: true });
    expect(await importInto(table, bugzilla.url, OPTIONS)).toMatchObject({ isClosed: true });
    const final = await importInto(table, bugzilla.url, { ...OPTIONS, final: true });
    expect(final).toMatchObject({ isClosed: false, isOpened: true });
    await expect(importInto(table, bugzilla.url, OPTIONS)).rejects.toThrow(
      `The import from ${bugzilla.url} has ended (final), and the table is in use`,
    );
    const before = await allItems(table);
    await expect(importInto(table, bugzilla.url, { ...OPTIONS, into: true, final: true })).rejects.toThrow(
      'this one is open',
    );
    expect(await allItems(table)).toEqual(before);
    const again = await importInto(table, bugzilla.url, { ...OPTIONS, close: true });
    expect(again.isClosed).toBe(true);
  });

  it('waits until every process refuses writes before it copies bugs, where there are users', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    await adminOf(table)('user', 'add', 'writer@example.org');
    const waited: number[] = [];
    const untilClosed = async (ms: number) => {
      expect((await allItems(table)).filter(({ pk }) => pk.startsWith('BUG#'))).toEqual([]);
      waited.push(ms);
    };
    await importInto(table, bugzilla.url, { ...OPTIONS, untilClosed });
    expect(waited).toEqual([expect.any(Number)]);
    expect(required(waited[0])).toBeGreaterThan(60_000);
  });

  it('ends in words, and changes nothing, where bugs are that no import has closed the table for', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable(referenceCatalogue());
    const before = await allItems(table);
    await expect(importInto(table, bugzilla.url)).rejects.toThrow('--into');
    await expect(importInto(table, bugzilla.url, { close: true })).rejects.toThrow(
      /bugs of the table, or comments .* are not in the file of the import/,
    );
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment'))).toEqual([]);
    expect(await allItems(table)).toEqual(before);
  });

  it('refuses to close a table where a bug has comments that no import has written', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    await importInto(table, bugzilla.url, { ...OPTIONS, final: true });
    const catalogue = referenceCatalogue();
    await applyCatalogue(table, parseCatalogue({ groups: catalogue.groups, users: catalogue.users }));
    const { call } = await serve(table);
    const body = { comment: 'Here' };
    expect((await call('POST', '/rest/bug/5/comment', { key: keys.admin, body })).status).toBe(201);
    await expect(importInto(table, bugzilla.url, { ...OPTIONS, close: true })).rejects.toThrow(
      '1 bugs of the table',
    );
  });

  it('is refused where another import has closed the table', async () => {
    const [one, other] = await Promise.all([
      startSimulatedBugzilla(shortCatalogue()),
      startSimulatedBugzilla(shortCatalogue()),
    ]);
    const table = await importedTable(one, OPTIONS);
    await expect(importInto(table, other.url, OPTIONS)).rejects.toThrow(`for the import from ${one.url}`);
    expect(
      (await importInto(table, other.url, { ...OPTIONS, into: true, file: `${fileFor(table)}2` })).isClosed,
    ).toBe(false);
  });

  it('is abandoned by a command, for its own Bugzilla only', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await importedTable(bugzilla, OPTIONS);
    const admin = adminOf(table);
    const other = await admin('import', 'https://other.example.org', '--abandon');
    expect([other.code, other.stderr]).toEqual([
      2,
      `The table is closed for the import from ${bugzilla.url}. Nothing was changed\n`,
    ]);
    const { code, stdout } = await admin('import', `${bugzilla.url}/rest/`, '--abandon');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Requests may write here again')]);
    expect((await admin('import', bugzilla.url, '--abandon')).stderr).toBe(
      'The table is open. Nothing was changed\n',
    );
    expect((await admin('audit')).stdout).toContain(`import ${bugzilla.url}/rest/ --abandon`);
  });
});

describe('an import --into a table in use', () => {
  it('lists collisions of bugs, comments and flags, replaces nothing, and copies the rest', async () => {
    const catalogue = shortCatalogue(6);
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    // Bug 6 here has the number of a bug there; its comment, and that of bug 900, have ids of comments there.
    const [six, first] = [6, 1].map((id) => required(catalogue.bugs.find((bug) => bug.id === id)));
    const own = (id: number, comment: number, flag: number) => ({
      ...{
        id,
        product: 'Here',
        component: 'Core',
        version: '1',
        summary: `Bug ${id}`,
        reporter: 'admin@example.com',
      },
      flags: [
        {
          id: flag,
          type_id: 900,
          name: 'blocker',
          status: '+',
          setter: 'admin@example.com',
          creation_date: '2020-01-01T00:00:00Z',
          modification_date: '2020-01-01T00:00:00Z',
        },
      ],
      comments: [
        {
          id: comment,
          text: 'Written here',
          creator: 'admin@example.com',
          creation_time: '2020-01-01T00:00:00Z',
        },
      ],
    });
    const taken = required(required(first?.comments[1]).id);
    const { groups, users } = referenceCatalogue();
    await applyCatalogue(
      table,
      parseNumbered({
        groups,
        users,
        products: [
          {
            ...{ id: 90, name: 'Here', description: 'Here', versions: [{ id: 900, name: '1' }] },
            milestones: [{ id: 900, name: '---' }],
            default_milestone: '---',
            components: [
              { id: 900, name: 'Core', description: 'Core', default_assigned_to: 'admin@example.com' },
            ],
            flag_types: [{ id: 900, name: 'blocker', description: 'Blocks', target: 'bug' }],
          },
        ],
        bugs: [own(900, taken, 700), own(required(six?.id), 9_000, 701)],
      }),
    );
    const before = await bugItems(table, [6, 900]);
    const five = required(bugzilla.content.catalogue.bugs.find(({ id }) => id === 5));
    five.flags = [
      {
        id: 700,
        type_id: 901,
        name: 'x',
        status: '+',
        setter: 'admin@example.com',
        requestee: null,
        creation_date: '2020-01-01T00:00:00Z',
        modification_date: '2020-01-01T00:00:00Z',
      },
    ];
    const result = await importInto(table, bugzilla.url, { into: true });
    expect(result.isClosed).toBe(false);
    const lines = problemLines(result, COLLISIONS);
    expect(lines).toEqual(
      expect.arrayContaining([
        `bug 1: comments[1].id: the comment ${taken} belongs to bug 900`,
        'bug 5: flags: bug 900 has a flag 700',
        expect.stringMatching(/^bug 6: /),
      ]),
    );
    expect(lines).toHaveLength(3);
    expect(await bugItems(table, [6, 900])).toEqual(before);
    expect(result.summary.bugs.added).toBe(catalogue.bugs.length - 3);
    await expectNoViolations(table);
  });

  it('keeps a product of another source restricted, which has the id and name of a public one', async () => {
    const restricting = await startSimulatedBugzilla(shortCatalogue());
    const alpha = required(restricting.content.catalogue.products.find(({ name }) => name === 'Alpha'));
    const control = {
      group: 'secret-team',
      entry: true,
      membercontrol: 'MANDATORY',
      canedit: false,
    } as const;
    alpha.group_controls = [control];
    const open = await startSimulatedBugzilla(shortCatalogue());
    const products = ['Alpha'];
    const table = await importedTable(restricting, { products });
    const { call } = await serve(table);
    for (const _ of [1, 2]) {
      const other = { products, into: true, file: `${fileFor(table)}2` };
      const result = await importInto(table, open.url, other);
      expect(problemLines(result, 'products with inferred access').join()).toContain(
        "product 'Alpha': everybody sees it in Bugzilla; here its group controls restrict it, and stay",
      );
      expect((await call('GET', '/rest/bug/2')).body.code).toBe(102);
    }
    alpha.group_controls = [];
    await importInto(table, restricting.url, { products });
    expect((await call('GET', '/rest/bug/2')).status).toBe(200);
  });
});

const bugItems = async (table: Awaited<ReturnType<typeof newTable>>, ids: number[]) =>
  (await allItems(table)).filter(({ pk }) => ids.some((id) => pk === `BUG#${id}`));
