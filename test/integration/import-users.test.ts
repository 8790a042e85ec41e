import { describe, expect, it } from 'vitest';
import { OTHER_PERSON, OTHER_STATE } from '../../infra/import/problems.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { IMPORTED, IMPORTED_UNMAILED } from '../../lib/people/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
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
import { type SimulatedBugzilla, startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

const LEFT = 'Left the company\r\n<b>for good</b>';
const options = { products: ['Closed'] };
const BY_ADMINISTRATOR = { key: keys.admin };
/** who is not in `editusers` */
const BY_OTHER = { key: keys.secret };

/** A source with a table, whose users can be looked at: an empty one, or with what was imported. */
async function start(open: (bugzilla: SimulatedBugzilla) => Promise<Table> = () => newTable()) {
  const bugzilla = await startSimulatedBugzilla(shortCatalogue());
  const table = await open(bugzilla);
  const accounts = accountRepository(table);
  const there = (login: string) =>
    required(bugzilla.content.catalogue.users.find((user) => user.login === login));
  return {
    ...{ bugzilla, table, admin: adminOf(table), there },
    here: async (login: string) => required(await accounts.read(login)).user,
    import: (more: object = {}, client: object = BY_ADMINISTRATOR) =>
      importInto(table, bugzilla.url, { ...options, ...more }, client),
  };
}

/** The same after an import. */
const startImported = () => start((bugzilla) => importedTable(bugzilla, options));

describe('the users of an import', () => {
  it('are all users, with their state and their groups', async () => {
    const { there, here, table, import: run } = await start();
    Object.assign(there('plain@example.com'), { disabled: LEFT, groups: ['secret-team'] });
    Object.assign(there('secret@example.com'), { email_enabled: false });
    const { summary } = await run();
    expect(summary.users.added).toBe(9);
    expect(await here('plain@example.com')).toMatchObject({
      disabled: 'Left the company\n<b>for good</b>',
      groups: ['secret-team'],
    });
    expect(await here('secret@example.com')).toMatchObject({ disabled: IMPORTED, email_enabled: false });
    expect(await here('noedit@example.com')).toEqual({
      ...{ id: 7, login: 'noedit@example.com', real_name: 'Nora Noedit', groups: [], disabled: IMPORTED },
    });
    await expectNoViolations(table);
  });

  it('are listed by ids beyond gaps, and those whom only bugs name are added, too', async () => {
    const { bugzilla, here, import: run } = await start();
    bugzilla.content.hiddenUsers = ['user@example.com'];
    bugzilla.content.firstUserId = 950;
    await run({ partial: true, products: [] });
    expect(await here('secret@example.com')).toMatchObject({ id: 958, disabled: IMPORTED });
    expect(await here('user@example.com')).toMatchObject({ id: 951, disabled: IMPORTED_UNMAILED });
    const asked = bugzilla.requests.flatMap(({ target }) => target.match(/(?<=ids=)\d+/g) ?? []).map(Number);
    expect(Math.max(...asked)).toBe(958 + 1_000);
  });

  it('are mailed only after they got a key, where the owner of the key may not ask', async () => {
    const { there, here, admin, import: run } = await start();
    Object.assign(there('plain@example.com'), { disabled: LEFT });
    await run({ partial: true }, BY_OTHER);
    expect(await here('plain@example.com')).toMatchObject({ disabled: 'Disabled in Bugzilla' });
    expect(await here('noedit@example.com')).toMatchObject({ disabled: IMPORTED_UNMAILED, groups: [] });
    await admin('key', 'create', '--all');
    expect((await here('noedit@example.com')).disabled).toBeUndefined();
    expect((await here('plain@example.com')).disabled).toBe('Disabled in Bugzilla');
    // Later, an administrator's key tells.
    await run();
    expect(await here('plain@example.com')).toMatchObject({ disabled: 'Left the company\n<b>for good</b>' });
    expect((await here('noedit@example.com')).disabled).toBeUndefined();
  });

  it('bring what has changed there, but not over what was changed here', async () => {
    const { there, here, table, admin, import: run } = await start();
    const [plain, editor, noedit] = ['plain@example.com', 'editor@example.com', 'noedit@example.com'];
    Object.assign(there(plain), { groups: ['secret-team', 'bz_canusewhines'] });
    await run();
    await admin('key', 'create', plain);
    await admin('user', 'change', noedit, '--disable', 'Spam');
    await admin('user', 'change', editor, '--no-mail');
    Object.assign(there(plain), { disabled: LEFT, email_enabled: false, groups: ['bz_canusewhines'] });
    Object.assign(there(noedit), { disabled: LEFT });
    const { summary } = await run();
    expect(summary.users).toMatchObject({ added: 0, changed: 1 });
    expect(await here(plain)).toMatchObject({
      ...{ disabled: 'Left the company\n<b>for good</b>', email_enabled: false, groups: ['bz_canusewhines'] },
    });
    expect((await here(noedit)).disabled).toBe('Spam');
    expect((await here(editor)).email_enabled).toBe(false);
    const { call } = await serve(table);
    expect((await call('GET', '/rest/user/plain@example.com')).status).toBe(200);
    expect((await run()).summary.users).toEqual({ added: 0, changed: 0, unchanged: 9 });
    await expectNoViolations(table);
  });

  it('follow their logins with their keys, and pass nothing to who gets a login that another one had', async () => {
    const { bugzilla, there, here, table, admin, import: run } = await start();
    Object.assign(there('plain@example.com'), { groups: ['secret-team'] });
    await run();
    const { stdout } = await admin('key', 'create', 'plain@example.com');
    const [gone, heir] = [there('plain@example.com'), there('secret@example.com')];
    gone.login = 'gone@example.com';
    heir.login = 'plain@example.com';
    bugzilla.content.catalogue.bugs = [];
    expect(problemLines(await run(), OTHER_PERSON)).toEqual([]);
    expect(await here('gone@example.com')).toMatchObject({ id: 5, groups: ['secret-team'] });
    expect(await here('plain@example.com')).toMatchObject({ id: 9, real_name: heir.real_name });
    await expect(here('secret@example.com')).rejects.toThrow();
    const { call } = await serve(table);
    expect((await call('GET', '/rest/whoami', { key: stdout.trim() })).body.name).toBe('gone@example.com');
    expect((await call('GET', `/rest/user?ids=5&ids=9`, { key: stdout.trim() })).status).toBe(200);
    expect((await run()).summary.users).toMatchObject({ added: 0, changed: 0 });
    await expectNoViolations(table);
  });

  it('keep their bugs where they exchange logins', async () => {
    const { bugzilla, there, table, import: run } = await startImported();
    const reporters = async () => {
      const ids = (bugzilla.content.catalogue.bugs ?? []).map(({ id }) => required(id));
      const found = await bugRepository(table, table.now).byIds(ids);
      return [...found.values()].map(({ id, reporter }) => ({ id, reporter }));
    };
    const before = await reporters();
    const [one, other] = [there('user@example.com'), there('admin@example.com')];
    [one.login, other.login] = ['admin@example.com', 'user@example.com'];
    for (const bug of bugzilla.content.catalogue.bugs ?? []) {
      if (bug.reporter === 'user@example.com') bug.reporter = 'admin@example.com';
      else if (bug.reporter === 'admin@example.com') bug.reporter = 'user@example.com';
    }
    await run();
    expect(await reporters()).toEqual(before);
  });

  it('exchange no logins in one run, and keep one that a user of this service has', async () => {
    const { bugzilla, there, here, admin, import: run } = await startImported();
    await admin('user', 'add', 'mine@example.com');
    const [one, other, third] = ['plain', 'secret', 'noedit'].map((name) => there(`${name}@example.com`));
    [required(one).login, required(other).login] = ['secret@example.com', 'plain@example.com'];
    required(third).login = 'mine@example.com';
    bugzilla.content.catalogue.bugs = [];
    expect(problemLines(await run(), OTHER_PERSON).sort()).toEqual([
      "user 'noedit@example.com': has the login 'mine@example.com' there now, which another user has here",
      "user 'plain@example.com': has the login 'secret@example.com' there now, which another user has here",
      "user 'secret@example.com': has the login 'plain@example.com' there now, which another user has here",
    ]);
    expect((await here('plain@example.com')).id).toBe(5);
  });

  it('are one where an earlier version made a second account of who had got another login', async () => {
    const { bugzilla, there, here, table, admin, import: run } = await startImported();
    const first = await here('plain@example.com');
    const { stdout } = await admin('key', 'create', 'plain@example.com');
    const user = { ...first, id: 900, login: 'gone@example.com', disabled: IMPORTED };
    await accountRepository(table).write(undefined, { user, keys: [], imported: { id: first.id } });
    there('plain@example.com').login = 'gone@example.com';
    bugzilla.content.catalogue.bugs = [];
    expect(problemLines(await run(), OTHER_PERSON)).toEqual([]);
    expect(await here('gone@example.com')).toMatchObject({ id: first.id });
    await expect(here('plain@example.com')).rejects.toThrow();
    const { call } = await serve(table);
    expect((await call('GET', '/rest/whoami', { key: stdout.trim() })).body.name).toBe('gone@example.com');
    await expectNoViolations(table);
  });

  it('refuse the key of who has left there since', async () => {
    const { there, table, admin, import: run } = await startImported();
    const { stdout } = await admin('key', 'create', 'plain@example.com');
    const { call } = await serve(table);
    const whoami = () => call('GET', '/rest/whoami', { key: stdout.trim() });
    expect((await whoami()).status).toBe(200);
    Object.assign(there('plain@example.com'), { disabled: LEFT });
    await run();
    expect((await whoami()).body.code).toBe(301);
  });

  it('are disabled after an import of an earlier version, which told nothing', async () => {
    const { there, here, table, import: run } = await start();
    const user = { id: 5, login: 'plain@example.com', real_name: 'Paul', groups: [], disabled: IMPORTED };
    await accountRepository(table).write(undefined, { user, keys: [] });
    Object.assign(there('plain@example.com'), { disabled: LEFT });
    await run();
    expect(await here('plain@example.com')).toMatchObject({
      ...{ real_name: 'Paul', disabled: 'Left the company\n<b>for good</b>' },
    });
  });

  it('may have groups whose ids belong to other ones here', async () => {
    const { there, here, admin, import: run } = await start();
    await admin('group', 'add', 'taken');
    Object.assign(there('plain@example.com'), { groups: ['admin', 'tweakparams', 'secret-team'] });
    await run({ grantRights: true });
    expect((await here('plain@example.com')).groups).toEqual(['admin', 'tweakparams', 'secret-team']);
  });
});

describe('groups that give rights here', () => {
  const members = (result: Awaited<ReturnType<Awaited<ReturnType<typeof start>>['import']>>) =>
    Object.fromEntries(result.rights.groups.map(({ group, users }) => [group, users]));

  const RIGHTS = [
    ...['admin', 'editbugs', 'editcomponents', 'editusers', 'editkeywords', 'creategroups', 'canconfirm'],
    ...['insiders', 'timetrackers', 'taggers'],
  ];

  it('are listed, and given with --grant-rights only', async () => {
    const { there, here, import: run } = await start();
    const groupsHere = async () => new Set((await here('plain@example.com')).groups);
    Object.assign(there('plain@example.com'), { groups: [...RIGHTS, 'secret-team'] });
    const listed = await run();
    expect(listed.rights.isGranted).toBe(false);
    for (const group of RIGHTS)
      expect([group, ...(members(listed)[group] ?? [])]).toContain('plain@example.com');
    expect(await groupsHere()).toEqual(new Set(['secret-team']));
    const given = await run({ grantRights: true });
    expect([given.rights.isGranted, members(given)]).toEqual([true, members(listed)]);
    expect(await groupsHere()).toEqual(new Set([...RIGHTS, 'secret-team']));
    // What was given once stays, and is lost when it is lost there.
    const later = await run();
    expect(later.rights.groups).toEqual([]);
    expect(await groupsHere()).toEqual(new Set([...RIGHTS, 'secret-team']));
    Object.assign(there('plain@example.com'), { groups: ['secret-team'] });
    await run();
    expect(await groupsHere()).toEqual(new Set(['secret-team']));
  });

  it('are also those that the settings of the deployment name', async () => {
    const { bugzilla, table, admin, there, here } = await start();
    Object.assign(there('plain@example.com'), { groups: ['secret-team', 'insiders'] });
    process.env['INSIDER_GROUP'] = 'Secret-Team';
    try {
      const args = ['import', bugzilla.url, '--rate', '500', '--key', keys.admin, '--keep', fileFor(table)];
      const { code, stdout } = await admin(...args, '--product', 'Closed');
      expect(code).toBe(0);
      expect(stdout).toContain('Groups that give rights here, not given; --grant-rights gives them:\n');
      expect(stdout).toContain('  secret-team: admin@example.com, plain@example.com, secret@example.com\n');
      // It gives none where another group is that of insiders.
      expect((await here('plain@example.com')).groups).toEqual(['insiders']);
    } finally {
      delete process.env['INSIDER_GROUP'];
    }
  });

  it('are neither given to nor taken from an account that the table had before', async () => {
    const { admin, there, here, import: run } = await start();
    await admin('user', 'add', 'plain@example.com', '--name', 'Mine', '--group', 'editcomponents');
    Object.assign(there('plain@example.com'), { groups: ['admin', 'secret-team'], disabled: LEFT });
    for (const more of [{}, { grantRights: true }]) {
      const result = await run(more);
      expect(members(result)['admin']).not.toContain('plain@example.com');
      expect(await here('plain@example.com')).toMatchObject({
        real_name: 'Mine',
        groups: ['editcomponents'],
      });
      expect((await here('plain@example.com')).disabled).toBeUndefined();
      expect(problemLines(result, OTHER_STATE)).toEqual(["user 'plain@example.com': is disabled there"]);
    }
  });
});
