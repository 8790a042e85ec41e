import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { newTable, serve, startService, useStarted } from '../support/bugless.ts';
import { type Disguise, startDisguise } from '../support/disguise.ts';
import { importInto } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { rolloverCatalogue } from '../support/rollover-catalogue.ts';
import { enableAdmin, verifyBoth } from '../support/verifying.ts';

const BUGS = 24;
const OPTIONS = { grantRights: true };

/** An administrator of the table compares it with its source. */
async function verified(table: Table, there: Disguise) {
  await enableAdmin(table);
  const { url } = await (await serve(table)).listen();
  return verifyBoth(there.url, url);
}

/** The tests take minutes: a run with `RUNS`. */
const isLong = process.env['ROLLOVER'] === '1';

describe.runIf(isLong)('a roll-over', () => {
  const source = useStarted(() => startService(rolloverCatalogue(BUGS)));
  const startSource = () => startDisguise(source.url);

  it('of 356 bugs has no differences', async () => {
    const there = await startDisguise((await startService(rolloverCatalogue(356))).url);
    const table = await newTable();
    const { summary, problems } = await importInto(table, there.url, { ...OPTIONS, bugsPerPage: 200 });
    expect(summary.bugs.added).toBe(356);
    expect(problems.map(({ kind }) => kind)).toEqual(['products with inferred access']);
    const { differences, readers } = await verified(table, there);
    expect(differences).toEqual([]);
    expect(readers[0]?.shownBugs).toEqual({ there: 356, here: 356 });
    await expectNoViolations(table);
  });

  const failing = (there: Disguise, status: number, body: string) => {
    let count = 0;
    there.replace = () => {
      count += 1;
      return count % 7 === 0 ? { status, body } : undefined;
    };
  };
  const sources: [string, (there: Disguise) => void][] = [
    [
      'that reads keys as parameters only',
      (there) => {
        there.isDeaf = true;
      },
    ],
    [
      'that is slow',
      (there) => {
        there.delayMs = 100;
      },
    ],
    ['that often responds with 500', (there) => failing(there, 500, 'oops')],
    ['that often is not available', (there) => failing(there, 503, '<html>Back soon</html>')],
  ];
  it.each(sources)('from a Bugzilla %s has no differences', async (_, disguise) => {
    const there = await startSource();
    disguise(there);
    const table = await newTable();
    await importInto(table, there.url, OPTIONS);
    const { differences, readers } = await verified(table, there);
    expect(differences).toEqual([]);
    expect(readers.map(({ shownBugs }) => shownBugs.there)).toEqual([BUGS, expect.any(Number)]);
  });

  it('has no differences after a second import', async () => {
    const there = await startSource();
    const table = await newTable();
    await importInto(table, there.url, OPTIONS);
    await importInto(table, there.url, { ...OPTIONS, everything: true, final: true });
    expect((await verified(table, there)).differences).toEqual([]);
  });

  it('has no differences after an import that was interrupted', async () => {
    const there = await startSource();
    const table = await newTable();
    let comments = 0;
    there.replace = (target) => {
      if (!target.includes('/comment')) return undefined;
      comments += 1;
      const refused = { error: true, code: 306, message: 'The API key you specified is invalid' };
      return comments > 9 ? { status: 400, body: JSON.stringify(refused) } : undefined;
    };
    await expect(importInto(table, there.url, OPTIONS)).rejects.toThrow('API key');
    there.replace = () => undefined;
    there.requests.length = 0;
    await importInto(table, there.url, OPTIONS);
    expect(there.requests.filter((target) => target.includes('/comment')).length).toBeLessThan(BUGS);
    expect((await verified(table, there)).differences).toEqual([]);
  });

  it('--into a table in use differs in what that has of its own', async () => {
    const there = await startSource();
    const table = await newTable();
    const creator = 'own@example.org';
    const product = {
      ...{ id: 90, name: 'Here', description: 'Here', default_milestone: '---' },
      ...{ versions: [{ id: 900, name: '1' }], milestones: [{ id: 900, name: '---' }] },
      components: [{ id: 900, name: 'Core', description: 'Core', default_assigned_to: creator }],
    };
    const bug = {
      ...{ id: 900, product: 'Here', component: 'Core', version: '1', summary: 'Own' },
      ...{ reporter: creator, status: 'CONFIRMED' },
      comments: [{ id: 90_000, text: 'Own', creator, creation_time: '2020-01-01T00:00:00Z' }],
    };
    const users = [{ id: 90, login: creator }];
    await applyCatalogue(table, parseNumbered({ users, products: [product], bugs: [bug] }));
    await importInto(table, there.url, { ...OPTIONS, into: true });
    const { differences } = await verified(table, there);
    const places = differences.flatMap(({ first }) => first.map((line) => line.split(',')[0]));
    expect(new Set(places)).toEqual(new Set(['bug 900', "product 'Here'"]));
  });
});

describe.runIf(isLong)('import --verify', () => {
  const source = useStarted(async () => {
    const bugless = await startService(rolloverCatalogue(BUGS));
    const table = await newTable();
    await importInto(table, bugless.url, OPTIONS);
    return { url: bugless.url, table };
  });

  it('finds bugs that group controls here show to everybody', async () => {
    const { url, table } = source;
    const there = await startDisguise(url);
    await enableAdmin(table);
    const products = [{ name: 'Vault', group_controls: [] }];
    await applyCatalogue(table, parseCatalogue({ products }));
    await importInto(table, url, { ...OPTIONS, everything: true });
    const { differences } = await verified(table, there);
    const shown = differences.find(({ kind }) => kind === 'shown here and hidden there');
    expect(shown?.first).toContainEqual(expect.stringMatching(/^product 'Vault', product_\w+, anonymous/));
  });

  it('finds that its key sees less there', async () => {
    const { url, table } = source;
    const there = await startDisguise(url);
    there.change = (target, body) => {
      if (!target.startsWith('/rest/bug?f1=')) return;
      body.bugs = body.bugs.filter(({ product }: { product: string }) => product !== 'Vault');
    };
    const { differences } = await verified(table, there);
    expect(differences.map(({ kind }) => kind)).toContain('here only');
  });

  it.each([
    ['a web page', { status: 200, body: '<html>Welcome</html>' }],
    ['errors of the server', { status: 500, body: 'oops' }],
  ])('ends where a server responds with %s', async (_, answer) => {
    const { url, table } = source;
    const there = await startDisguise(url);
    there.replace = () => answer;
    await expect(verified(table, there)).rejects.toThrow(there.url);
    await expect(verifyBoth(url, there.url, { key: keys.admin })).rejects.toThrow(there.url);
  });
});
