import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCatalogue, readCatalogueFile } from '../../lib/catalogue/read.ts';
import { adminOf, type CommandResult, runAdmin } from '../support/admin.ts';
import { type Bugless, newTable, referenceCatalogue, startBugless } from '../support/bugless.ts';
import { catalogueOfLines } from '../support/exported.ts';
import { keys } from '../support/keys.ts';
import { inNewFolder } from '../support/start-process.ts';
import { itemsButCounters } from '../support/table-items.ts';

let bugless: Bugless;
let admin: (...args: string[]) => Promise<CommandResult>;
beforeAll(async () => {
  bugless = await startBugless();
  admin = adminOf(bugless.table);
});

const whoami = (key: string) => bugless.call('GET', '/rest/whoami', { key });

describe('npm run admin -- apply', () => {
  it('loads a file, prints a summary, and changes nothing the second time', async () => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'catalogue.json');
      const catalogue = {
        users: [{ login: 'new@example.com', api_keys: [{ key: 'NewKey' }] }],
        products: [{ name: 'Applied', components: [{ name: 'Core' }], versions: [{ name: '1' }] }],
      };
      await writeFile(file, JSON.stringify(catalogue));
      const first = await admin('apply', file);
      expect([first.code, first.stdout]).toEqual([
        0,
        expect.stringContaining('products: 1 added, 0 changed'),
      ]);
      const second = await admin('apply', file, '--json');
      expect([second.code, second.stderr]).toEqual([0, '']);
      expect(JSON.parse(second.stdout)).toMatchObject({ products: { added: 0, changed: 0, unchanged: 1 } });
      expect((await whoami('NewKey')).body.name).toBe('new@example.com');
    });
  });

  it('refuses an invalid file with the JSON path of each problem, and code 1', async () => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'wrong.json');
      await writeFile(file, '{"users": [{"login": " x"}], "products": [{"name": "P", "components": [{}]}]}');
      const { code, stdout, stderr } = await admin('apply', file);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('$.users[0].login: ');
      expect(stderr).toContain('$.products[0].components[0].name: ');
      await writeFile(file, '{');
      expect(await admin('apply', file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not JSON'),
      });
    });
  });
});

describe('npm run admin -- export', () => {
  it('writes a catalogue, to a file or to standard output', async () => {
    const { code, stdout } = await admin('export');
    expect(code).toBe(0);
    expect(parseCatalogue(catalogueOfLines(stdout)).bugs).toHaveLength(referenceCatalogue().bugs.length);
    await inNewFolder(async (folder) => {
      const file = join(folder, 'all.ndjson');
      expect(await admin('export', file)).toMatchObject({ code: 0, stdout: '' });
      expect((await readCatalogueFile(file)).groups.length).toBeGreaterThan(17);
    });
  });
});

describe('users, groups and keys', () => {
  it('are effective immediately when added', async () => {
    expect(await admin('group', 'add', 'night-shift', '--description', 'Late')).toMatchObject({ code: 0 });
    const { code, stdout } = await admin(
      ...'user add eve@example.com --name Eve --group night-shift --json'.split(' '),
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { login: 'eve@example.com', groups: ['night-shift'] },
    ]);
    const key = (await admin('key', 'create', 'eve@example.com')).stdout.trim();
    expect(key).toMatch(/^[A-Za-z0-9]{40}$/);
    expect((await whoami(key)).body).toMatchObject({ name: 'eve@example.com', real_name: 'Eve' });
    expect((await admin('group', 'list', '--json')).stdout).toContain('"night-shift"');
    expect((await admin('user', 'list')).stdout).toContain('eve@example.com  Eve  [night-shift]');
  });

  it('are effective immediately when changed', async () => {
    const newProduct = (name: string) =>
      bugless.call('POST', '/rest/product', {
        key: keys.plain,
        body: { name, description: 'd', version: '1' },
      });
    expect((await newProduct('One')).status).toBe(401);
    await admin('user', 'change', 'plain@example.com', '--group', 'editcomponents');
    expect((await newProduct('One')).status).toBe(201);
    await admin('user', 'change', 'plain@example.com', '--leave', 'editcomponents');
    expect((await newProduct('Two')).status).toBe(401);
  });

  it('are effective immediately when a key is revoked or a user disabled', async () => {
    const [key] = JSON.parse((await admin('key', 'list', 'tracker@example.com', '--json')).stdout);
    expect((await whoami(keys.tracker)).status).toBe(200);
    expect(await admin('key', 'revoke', 'tracker@example.com', key.hash.slice(0, 8))).toMatchObject({
      code: 0,
    });
    expect((await whoami(keys.tracker)).body.code).toBe(306);
    expect((await whoami(keys.editor)).status).toBe(200);
    await admin('user', 'change', 'editor@example.com', '--disable', 'On leave');
    expect((await whoami(keys.editor)).body.code).toBe(301);
    await admin('user', 'change', 'editor@example.com', '--enable');
    expect((await whoami(keys.editor)).status).toBe(200);
  });

  it('are told what is theirs when they are disabled, and hand it over', async () => {
    const duties = async () =>
      JSON.parse((await admin('user', 'duties', 'tracker@example.com', '--json')).stdout);
    expect(await duties()).toEqual([]);
    const body = { default_assignee: 'tracker@example.com', default_cc: ['tracker@example.com'] };
    await bugless.call('PUT', '/rest/component/Alpha/Core', { key: keys.admin, body });
    const theirs = ['default assignee', 'default CC'].map((as) => ({
      product: 'Alpha',
      component: 'Core',
      as,
    }));
    expect(await duties()).toEqual(theirs);
    const disable = ['user', 'change', 'tracker@example.com', '--disable', 'Left'];
    const { stdout } = await admin(...disable);
    expect(stdout).toContain('default assignee  Alpha  Core');
    expect(stdout).toContain('--hand-over');
    expect((await admin('check')).stdout).toContain(
      "assigns new bugs in 'Core' to 'tracker@example.com', who is disabled",
    );
    expect(await admin(...disable, '--hand-over', 'tracker@example.com')).toMatchObject({ code: 2 });
    const handed = JSON.parse(
      (await admin(...disable, '--hand-over', 'editor@example.com', '--json')).stdout,
    );
    expect(handed).toMatchObject({ handed_over: theirs, duties: [] });
    expect(await duties()).toEqual([]);
    await admin('user', 'change', 'tracker@example.com', '--enable');
  });

  it('are kept by changes that say nothing of mails, which --no-mail switches off', async () => {
    const change = async (...options: string[]) =>
      JSON.parse((await admin('user', 'change', 'editor@example.com', '--json', ...options)).stdout)
        .email_enabled;
    expect(await change('--name', 'Ed')).toBeUndefined();
    expect(await change('--no-mail')).toBe(false);
    expect(await change('--name', 'Eddie')).toBe(false);
    expect(await change('--mail')).toBeUndefined();
  });
});

it('the groups that give rights are created with their first member', async () => {
  const empty = adminOf(await newTable());
  const groups = 'editcomponents editbugs canconfirm editusers insiders timetrackers taggers'.split(' ');
  const add = async (login: string) => {
    const { code, stdout } = await empty(
      ...['user', 'add', login, ...groups.flatMap((group) => ['--group', group]), '--json'],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).groups.toSorted()).toEqual(groups.toSorted());
  };
  await add('first@example.com');
  await add('second@example.com');
  const listed: { name: string }[] = JSON.parse((await empty('group', 'list', '--json')).stdout);
  expect(listed.map(({ name }) => name).toSorted()).toEqual(groups.toSorted());
});

describe('invalid usage', () => {
  it.each([
    [['nosuch'], "unknown command 'nosuch'"],
    [['key', 'lose'], "unknown command 'lose'"],
    [['apply'], "missing required argument 'FILE'"],
    [['apply', 'a', 'b'], 'too many arguments'],
    [['user', 'add', 'x@example.com', '--nosuch'], '--nosuch'],
    [['user', 'list', '--stack'], "option '--stack <NAME>' argument missing"],
  ])('is reported with the usage, and code 2: %j', async (args, message) => {
    const { code, stdout, stderr } = await admin(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage: npm run admin -- ');
  });

  it.each([
    [['key', 'create', 'unknown@example.com'], "There is no user 'unknown@example.com'"],
    [['key', 'revoke', 'admin@example.com', ''], 'HASH must not be empty'],
    [['user', 'change', 'admin@example.com', '--leave', 'no-such-group'], "not in the group 'no-such-group'"],
    [['user', 'add', 'x@example.com', '--group', 'no-such-group'], "There is no group 'no-such-group'"],
    [['import', 'ftp://bugs.example'], "The address of Bugzilla's database must be like mysql://"],
  ])('of values is reported with code 2: %j', async (args, message) => {
    expect(await admin(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  it.each([[''], ['with space@example.com'], ['escape\u001b@example.com'], ['🪐'.repeat(251)]])(
    'with the login %j is refused with code 1',
    async (login) => {
      expect(await admin('user', 'add', login)).toMatchObject({ code: 1, stdout: '' });
    },
  );

  it.each([
    ['add', 'with space@example.com', '--group', 'editcomponents'],
    ['add', 'x@example.com', '--group', 'editcomponents', '--group', 'no-such-group'],
    ['change', 'user@example.com', '--group', 'editcomponents', '--leave', 'no-such-group'],
    ['change', 'user@example.com', '--group', 'editcomponents', '--disable', ''],
    ['change', 'user@example.com', '--group', 'editcomponents', '--name', 'escape\u001b'],
  ])('of a user creates no group that gives rights: %s %s %s %s', async (...args) => {
    const table = await newTable(parseCatalogue({ users: [{ login: 'user@example.com' }] }));
    const before = await itemsButCounters(table);
    expect((await adminOf(table)('user', ...args)).code).toBeGreaterThan(0);
    expect(await itemsButCounters(table)).toEqual(before);
  });

  it('of files is told with the whole path', async () => {
    const there = join(import.meta.dirname, '../..');
    expect(await admin('apply', 'no-such/file.json')).toMatchObject({
      code: 1,
      stderr: `${join(there, 'no-such/file.json')}: no such file or directory\n`,
    });
    expect(await admin('export', 'test')).toMatchObject({
      code: 1,
      stderr: `${join(there, 'test')}: illegal operation on a directory\n`,
    });
  });

  it('of an encoding is refused with code 1', async () => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'latin1.json');
      await writeFile(file, '{"groups":[{"name":"café"}]}', 'latin1');
      expect(await admin('apply', file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not valid UTF-8'),
      });
    });
  });

  it('lists the commands', async () => {
    expect(await runAdmin(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('import [options] <ADDRESS>'),
    });
    expect(await runAdmin([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('apply [options] <FILE>'),
    });
    expect(await runAdmin(['user', 'change', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--leave <GROUP>'),
    });
  });
});

describe('without a table', () => {
  it('schema prints the JSON Schema', async () => {
    const { code, stdout } = await runAdmin(['schema']);
    expect([code, JSON.parse(stdout).type]).toEqual([0, 'object']);
  });

  it('other commands report the missing table name', async () => {
    const { code, stderr } = await runAdmin(['user', 'list']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('TABLE_NAME')]);
  });
});
