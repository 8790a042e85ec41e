import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bugzillaClient } from '../../infra/import/bugzilla-client.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve, startService, useStarted } from '../support/bugless.ts';
import { startDisguise } from '../support/disguise.ts';
import { FAST_OPTIONS, importInto } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { rolloverCatalogue } from '../support/rollover-catalogue.ts';
import { enableAdmin, verifyBoth } from '../support/verifying.ts';

const BUGS = 9;

/** A Bugzilla and the service into which it was imported, both in disguise. */
async function startImported() {
  const source = await startService(rolloverCatalogue(BUGS));
  const there = await startDisguise(source.url);
  const table = await newTable();
  await importInto(table, there.url, { grantRights: true });
  await enableAdmin(table);
  const here = await (await serve(table)).listen();
  return { source, there, table, here: await startDisguise(here.url) };
}

describe('import --verify', () => {
  const started = useStarted(startImported);

  it('finds nothing after an import, but what is written otherwise on purpose', async () => {
    const { there, here } = started;
    const result = await verifyBoth(there.url, here.url);
    expect(result.differences).toEqual([]);
    const [administrator, anonymous] = result.readers;
    expect(administrator).toMatchObject({
      reader: 'administrator',
      bugs: BUGS,
      products: { there: 3, here: 3 },
    });
    expect(administrator?.shownBugs).toEqual({ there: BUGS, here: BUGS });
    expect(anonymous?.bugs).toBeLessThan(BUGS);
    expect(anonymous?.shownBugs.here).toBe(anonymous?.shownBugs.there);
    expect([administrator?.attachments, anonymous?.attachments]).toEqual([4, expect.any(Number)]);
    expect(result.users).toMatchObject({ there: 5, here: 5 });
    expect(result.intended.map(({ rule }) => rule)).toEqual(['restricted products', 'users without a key']);
  });

  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  type Change = (body: any, target: string, isAnonymous: boolean) => void;
  interface Seed {
    what: string;
    /** a part of the path */
    at: RegExp;
    change: Change;
    kind: string;
    line: RegExp;
  }
  const bugs =
    (change: (bug: Record<string, unknown>) => void): Change =>
    (body) =>
      body.bugs?.forEach(change);
  const comments =
    (id: number, change: (all: Record<string, unknown>[]) => void): Change =>
    (body) =>
      change(body.bugs[id].comments);
  const seeds: Seed[] = [
    {
      what: 'a lost bug',
      at: /^\/rest\/bug\?f1=/,
      change: (body) => {
        body.bugs = body.bugs.filter(({ id }: { id: number }) => id !== 5);
      },
      kind: 'missing here',
      line: /^bug 5, product, administrator: there "Vault", here nothing/,
    },
    {
      what: 'a bug that an anonymous reader must not see',
      at: /^\/rest\/bug\?f1=/,
      change: (body, _, isAnonymous) => {
        if (isAnonymous) body.bugs.push({ id: 1, product: 'Vault' });
      },
      kind: 'shown here and hidden there',
      line: /^bug 1, product, anonymous/,
    },
    {
      what: 'a field with another value',
      at: /^\/rest\/bug\?id=/,
      change: bugs((bug) => {
        if (bug['id'] === 4) bug['whiteboard'] = 'else';
      }),
      kind: 'fields of bugs',
      line: /^bug 4, whiteboard, administrator: there "w4", here "else"/,
    },
    {
      what: 'a bug without its group',
      at: /^\/rest\/bug\?id=/,
      change: bugs((bug) => {
        if (bug['id'] === 9) bug['groups'] = [];
      }),
      kind: 'fields of bugs',
      line: /^bug 9, groups, administrator: there \["security"\], here \[\]/,
    },
    {
      what: 'a lost comment',
      at: /^\/rest\/bug\/8\/comment/,
      change: comments(8, (all) => all.splice(1, 1)),
      kind: 'missing here',
      line: /^bug 8, comment 81, id/,
    },
    {
      what: 'a comment with another text',
      at: /^\/rest\/bug\/8\/comment/,
      change: comments(8, ([first]) => Object.assign(first ?? {}, { text: 'It works' })),
      kind: 'comments',
      line: /^bug 8, comment 80, text/,
    },
    {
      what: 'a private comment that is public',
      at: /^\/rest\/bug\/8\/comment/,
      change: comments(8, (all) => {
        for (const one of all) one['is_private'] = false;
      }),
      kind: 'shown here and hidden there',
      line: /^bug 8, comment 82, is_private, administrator: there true, here false/,
    },
    {
      what: 'other data of an attachment',
      at: /^\/rest\/bug\/attachment\/14/,
      change: (body) => {
        body.attachments['14'].data = Buffer.from('else').toString('base64');
      },
      kind: 'attachments',
      line: /^bug 7, attachment 14, sha256/,
    },
    {
      what: 'a private attachment that an anonymous reader sees',
      at: /^\/rest\/bug\/\d+\/attachment/,
      change: (body, _, isAnonymous) => {
        if (isAnonymous) body.bugs['7'].push({ ...body.bugs['7'][0], id: 15 });
      },
      kind: 'shown here and hidden there',
      line: /^bug 7, attachment 15, id, anonymous/,
    },
    {
      what: 'a lost change',
      at: /\/history/,
      change: (body) => {
        for (const bug of body.bugs) if (bug.id === 6) bug.history = [];
      },
      kind: 'histories',
      line: /^bug 6, change, administrator: there "2015-01-07T08:35:00Z .*whiteboard/,
    },
    {
      what: 'a person who may log in again',
      at: /^\/rest\/user/,
      change: (body) => {
        for (const user of body.users) {
          if (user.name === 'dora@example.com')
            Object.assign(user, { can_login: true, login_denied_text: '' });
        }
      },
      kind: 'users',
      line: /^user 'dora@example.com', can_login, administrator: there false, here true/,
    },
    {
      what: 'a person in a further group',
      at: /^\/rest\/user/,
      change: (body) => {
        for (const user of body.users) {
          if (user.name === 'ben@example.com') user.groups.push({ id: 9, name: 'security', description: '' });
        }
      },
      kind: 'users',
      line: /^user 'ben@example.com', groups/,
    },
    {
      what: 'a product that an anonymous reader must not see',
      at: /^\/rest\/product(_selectable|\?ids)/,
      change: (body, target, isAnonymous) => {
        if (!isAnonymous) return;
        if (target.includes('selectable')) body.ids.push(2);
        else body.products.push({ id: 2, name: 'Vault' });
      },
      kind: 'shown here and hidden there',
      line: /^product 'Vault', product_selectable, anonymous/,
    },
    {
      what: 'another default assignee of a component',
      at: /^\/rest\/product\?ids/,
      change: (body) => {
        for (const { components = [] } of body.products)
          for (const one of components) if (one.id === 11) one.default_assigned_to = 'cem@example.com';
      },
      kind: 'products',
      line: /^product 'Public', component 11, default_assigned_to, administrator/,
    },
    {
      what: 'a version that is not there',
      at: /^\/rest\/product\?ids/,
      change: (body) => {
        for (const one of body.products) if (one.id === 3 && one.versions) one.versions = [];
      },
      kind: 'products',
      line: /^product 'Mixed', version 30, name, administrator: there "1\.0", here nothing/,
    },
    {
      what: 'an inactive flag type',
      at: /^\/rest\/product\?ids/,
      change: (body) => {
        for (const { components = [] } of body.products)
          for (const { flag_types } of components) for (const one of flag_types.bug) one.is_active = false;
      },
      kind: 'products',
      line: /^product 'Vault', flag type 2, is_active, administrator: there true, here false/,
    },
    {
      what: 'a keyword that is described otherwise, and a transition',
      at: /^\/rest\/field\/bug/,
      change: (body) => {
        for (const { name, values } of body.fields) {
          if (name === 'keywords') values[0].description = 'else';
          if (name === 'bug_status') values.at(-1).can_change_to.pop();
        }
      },
      kind: 'settings',
      line: /^keyword 'perf', keywords, administrator: there "Performance", here "else"/,
    },
    {
      what: 'a transition',
      at: /^nothing$/,
      change: () => undefined,
      kind: 'settings',
      line: /^status 'CLOSED', bug_status, administrator/,
    },
    {
      what: 'other hours',
      at: /^\/rest\/bug\?id=/,
      change: bugs((bug) => {
        if (bug['id'] === 2) bug['actual_time'] = 4;
      }),
      kind: 'fields of bugs',
      line: /^bug 2, actual_time, administrator: there 0, here 4/,
    },
  ];

  it('finds each difference', async () => {
    const { there, here } = started;
    here.change = (target, body, isAnonymous) => {
      for (const { at, change } of seeds) {
        if (at.test(decodeURIComponent(target))) change(body, target, isAnonymous);
      }
    };
    const { differences } = await verifyBoth(there.url, here.url);
    here.change = () => undefined;
    const found = seeds.filter(({ kind, line }) =>
      differences.find((one) => one.kind === kind)?.first.some((text) => line.test(text)),
    );
    expect(found.map(({ what }) => what)).toEqual(seeds.map(({ what }) => what));
  });

  it('takes no order within a second for a difference, and pairs what an anonymous reader sees by field', async () => {
    const { there, here } = started;
    const when = '2020-01-01T00:00:00Z';
    const change = (field_name: string, added: string) => ({ field_name, removed: '', added });
    const histories =
      (changes: Record<number, object[]>) =>
      (target: string, body: { bugs: { id: number; history: object[] }[] }) => {
        if (!target.includes('/history')) return;
        for (const bug of body.bugs) {
          const ofBug = changes[bug.id];
          if (ofBug) bug.history = ofBug.map((one) => ({ when, who: 'ann@example.com', changes: [one] }));
        }
      };
    const changes = [change('cc', 'a, b'), change('keywords', 'perf'), change('cc', 'c')];
    there.change = histories({ 4: changes, 6: changes });
    here.change = histories({
      4: [change('cc', 'c'), change('cc', 'b, a'), change('keywords', 'perf')],
      6: [change('keywords', 'slow'), change('cc', 'a, b, c')],
    });
    const { differences } = await verifyBoth(there.url, here.url);
    there.change = () => undefined;
    here.change = () => undefined;
    const lines = differences.flatMap(({ first }) => first);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^bug 6, .* keywords .*perf.*, here .* keywords .*slow/);
  });

  it('compares another user, too, by their keys', async () => {
    const { there, here, source } = started;
    const client = (url: string) => bugzillaClient({ ...FAST_OPTIONS, url, key: keys.admin });
    const also = { there: client(there.url), here: client(source.url) };
    const { readers } = await verifyBoth(there.url, here.url, { also, sample: 3 });
    expect(readers.map(({ reader }) => reader)).toEqual(['administrator', 'anonymous', 'user']);
    expect(readers[2]?.shownBugs).toEqual(readers[0]?.shownBugs);
  });

  it('is a command with an exit code, a table of rules, and a file of differences', async () => {
    const { there, here, table } = started;
    process.env['BUGLESS_API_KEY'] = keys.admin;
    const run = (...args: string[]) =>
      adminOf(table)(
        'import',
        there.url,
        '--key',
        keys.admin,
        '--rate',
        '500',
        '--verify',
        here.url,
        ...args,
      );
    const equal = await run('--all');
    expect([equal.code, equal.stderr]).toEqual([0, expect.stringContaining('Asking')]);
    expect(equal.stdout).toContain('No differences');
    expect(equal.stdout).toMatch(/Otherwise on purpose:\n {2}\d+ restricted products: /);
    here.change = (target, body) => {
      if (target.startsWith('/rest/bug?id=')) for (const bug of body.bugs) bug.summary = 'else';
    };
    const file = `${process.env['TMPDIR'] ?? '/tmp'}/differences-${process.pid}.ndjson`;
    const different = await run('--sample', '3', '--differences', file);
    here.change = () => undefined;
    expect(different.code).toBe(1);
    expect(different.stderr).toContain(`differences: see ${file}`);
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(lines.filter(({ reader }) => reader === 'administrator')).toHaveLength(3);
    expect(lines[0]).toMatchObject({ kind: 'fields of bugs', field: 'summary', here: '"else"' });
    delete process.env['BUGLESS_API_KEY'];
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('BUGLESS_API_KEY') });
  });
});
