import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { startBugless, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { openRecording } from '../support/recordings.ts';
import { aBug, aComment, aFile } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

const { catalogue, keys } = openRecording('extras');

const bugless = useStarted(() => startBuglessWithPermissions(catalogue()));

const call = (method: string, path: string, as: string, body?: unknown) =>
  bugless.call(method, path, { key: keys.get(as), body });
const asAdmin = (method: string, path: string, body?: unknown) => call(method, path, 'admin', body);
const changeNoedit = (body: object) => asAdmin('PUT', '/rest/user/noedit@example.com', body);

describe('the rights of administrators', () => {
  const writes = [
    ['POST', '/rest/flag_type'],
    ['PUT', '/rest/flag_type/1'],
    ['POST', '/rest/component'],
    ['POST', '/rest/user'],
    ['PUT', '/rest/user/1'],
    ['POST', '/rest/group'],
    ['PUT', '/rest/group/1'],
  ] as const;

  it.each(writes)('are needed for %s %s, whatever the request has', async (method, path) => {
    for (const body of [{}, { nonsense: 1 }, { ids: ['abc'] }]) {
      const { status, body: error } = await call(method, path, 'user', body);
      expect([status, error.code]).toEqual([401, 304]);
    }
  });

  it.each(writes)('are not those of anonymous callers: %s %s', async (method, path) => {
    const { status, body } = await call(method, path, 'anonymous', {});
    expect([status, body.code]).toEqual([401, path === '/rest/user' ? 304 : 410]);
  });

  it('that are granted and withdrawn hold for the keys that the user has', async () => {
    const asNoedit = async () => (await call('GET', '/rest/group?names=insiders', 'noedit')).status;
    expect(await asNoedit()).toBe(400);
    await changeNoedit({ groups: { add: ['editusers'] } });
    expect(await asNoedit()).toBe(200);
    await changeNoedit({ groups: { set: [] } });
    expect(await asNoedit()).toBe(400);
    await changeNoedit({ login_denied_text: 'Gone' });
    expect(await asNoedit()).toBe(401);
    await changeNoedit({ login_denied_text: '' });
    expect(await asNoedit()).toBe(400);
  });
});

it('the groups of a user are named by names and ids', async () => {
  const { body } = await call('GET', '/rest/group?names=insiders', 'admin');
  const id = body.groups[0].id;
  const groupsOf = async () =>
    (await call('GET', '/rest/user/noedit@example.com', 'admin')).body.users[0].groups.map(
      ({ name }: { name: string }) => name,
    );
  await changeNoedit({ groups: { set: [id, 'taggers'] } });
  expect(await groupsOf()).toEqual(['insiders', 'taggers']);
  await changeNoedit({ groups: { remove: [String(id)] } });
  expect(await groupsOf()).toEqual(['taggers']);
  const unknown = await call('PUT', '/rest/user/noedit@example.com', 'admin', { groups: { add: [9999] } });
  expect([unknown.status, unknown.body.code]).toEqual([401, 304]);
  await changeNoedit({ groups: { set: [] } });
});

it.each([
  ['admin', 'admin', ['email_enabled', 'login_denied_text', 'saved_reports', 'saved_searches']],
  ['admin', 'user', ['email_enabled', 'login_denied_text']],
  ['user', 'user', ['saved_reports', 'saved_searches']],
  ['user', 'admin', []],
  ['anonymous', 'user', undefined],
])('the fields of a user that %s sees of %s', async (as, of, more) => {
  const { body } = await call('GET', `/rest/user/${of}@example.com`, as);
  const usual = ['can_login', 'email', 'groups', 'id', 'name', 'real_name'];
  const expected = more === undefined ? ['id', 'name', 'real_name'] : [...usual, ...more].sort();
  expect(Object.keys(body.users[0]).sort()).toEqual(expected);
});

describe('values that are too long or too many', () => {
  const long = 'x'.repeat(20_001);
  const component = {
    product: 'Alpha',
    name: 'Long',
    description: 'd',
    default_assignee: 'user@example.com',
  };
  const flagType = { name: 'long', description: 'd', target_type: 'bug' };

  it.each([
    ['POST', '/rest/component', { ...component, description: long }],
    [
      'POST',
      '/rest/component',
      { ...component, default_cc: Array.from({ length: 101 }, () => 'user@example.com') },
    ],
    ['POST', '/rest/flag_type', { ...flagType, description: long }],
    ['POST', '/rest/flag_type', { ...flagType, cc_list: long }],
    ['POST', '/rest/flag_type', { ...flagType, name: 'x'.repeat(51) }],
    ['POST', '/rest/flag_type', { ...flagType, inclusions: Array.from({ length: 1_001 }, () => 'Alpha') }],
    ['POST', '/rest/user', { email: 'long@example.com', full_name: long }],
    ['POST', '/rest/group', { name: long, description: 'd' }],
    ['POST', '/rest/group', { name: 'long', description: long }],
    ['POST', '/rest/group', { name: 'long', description: 'd', user_regexp: long }],
    ['PUT', '/rest/user/5', { login_denied_text: long }],
    ['PUT', '/rest/user/5', { groups: { add: Array.from({ length: 501 }, () => 'insiders') } }],
    ['PUT', '/rest/user/5', { ids: Array.from({ length: 101 }, () => 5) }],
    ['PUT', '/rest/group/15', { names: Array.from({ length: 101 }, () => 'insiders') }],
  ])('are refused: %s %s', async (method, path, body) => {
    expect((await asAdmin(method, path, body)).status).toBe(400);
  });
});

it('the name of a group is no number, by POST and in a catalogue', async () => {
  const { status, body } = await asAdmin('POST', '/rest/group', { name: '1', description: 'd' });
  expect([status, body.code]).toEqual([400, 53]);
  for (const given of [{ groups: [{ name: '123' }] }, { users: [{ login: 'a', groups: ['1'] }] }]) {
    expect(() => parseNumbered(given)).toThrow('must not be a number');
  }
});

it('who creates a group that gives a right does not get the right', async () => {
  const users = [
    { login: 'maker@example.com', groups: ['creategroups'], api_keys: [{ key: 'm'.repeat(40) }] },
  ];
  const other = await startBugless(parseNumbered({ groups: [{ name: 'creategroups' }], users }));
  const as = { key: 'm'.repeat(40) };
  for (const name of ['editusers', 'ADMIN', 'insiders', 'plain']) {
    const { status } = await other.call('POST', '/rest/group', { ...as, body: { name, description: 'd' } });
    expect(status).toBe(201);
  }
  const { body } = await other.call('GET', '/rest/user/maker@example.com', as);
  expect(body.users[0].groups.map(({ name }: { name: string }) => name)).toEqual(['creategroups', 'plain']);
  expect((await other.call('GET', '/rest/bugless/audit', as)).body.code).toBe(304);
});

describe('the groups of a user', () => {
  const names = Array.from({ length: 150 }, (_, n) => `${n}${'漢'.repeat(240)}`);

  it('have names of at most 100 KB together, by PUT, in a catalogue and beside others', async () => {
    const groups = names.map((name) => ({ name, description: 'd' }));
    await applyCatalogue(bugless.table, parseNumbered({ groups }));
    for (const change of [{ set: names }, { add: names }]) {
      const { status, body } = await changeNoedit({ groups: change });
      expect([status, body.code, body.message]).toEqual([400, 53, expect.stringContaining("'groups'")]);
    }
    const user = { login: 'many@example.com', groups: names };
    expect(() => parseCatalogue({ users: [user] })).toThrow('$.users[0].groups');
    expect((await changeNoedit({ groups: { set: names.slice(0, 100) } })).status).toBe(200);
    expect((await changeNoedit({ groups: { set: [] } })).status).toBe(200);
  });
});

it('a text of a user that breaks a rule is named as the request names it', async () => {
  const { body } = await changeNoedit({ login_denied_text: 'a\u0000b' });
  expect(body.message).toContain("'login_denied_text'");
});

it('names that stand in bugs cannot be changed', async () => {
  const login = await asAdmin('PUT', '/rest/user/5', { email: 'other@example.com' });
  const group = await asAdmin('PUT', '/rest/group/secret-team', { name: 'team' });
  expect([login.body.code, group.body.code]).toEqual([53, 53]);
});

const flagsOf = async (id: number) =>
  (await asAdmin('GET', `/rest/bug/${id}?include_fields=flags`)).body.bugs[0].flags;

it('the flags of bugs follow a flag type that is renamed, and go where it is not available any more', async () => {
  const { body } = await asAdmin('POST', '/rest/flag_type', {
    name: 'followed',
    description: 'd',
    target_type: 'bug',
    inclusions: ['Alpha', 'beta'],
  });
  await asAdmin('PUT', '/rest/bug/55', { flags: [{ type_id: body.id, status: '?' }] });
  const path = `/rest/flag_type/${body.id}`;
  expect((await asAdmin('PUT', path, { name: 'renamed' })).status).toBe(200);
  expect(await flagsOf(55)).toContainEqual(expect.objectContaining({ type_id: body.id, name: 'renamed' }));
  expect((await asAdmin('PUT', path, { inclusions: ['beta'] })).status).toBe(200);
  expect(await flagsOf(55)).not.toContainEqual(expect.objectContaining({ type_id: body.id }));
  const { body: types } = await asAdmin('GET', '/rest/flag_type/beta');
  expect(types.bug).toContainEqual(expect.objectContaining({ id: body.id, name: 'renamed' }));
});

describe('the flags of more attachments than one transaction can write', () => {
  const MANY = 150;
  const BUG = 9_000;
  const time = '2024-01-01T00:00:00Z';
  let type: number;
  const flagsOfAttachments = async () => {
    const { body } = await asAdmin('GET', `/rest/bug/${BUG}/attachment?exclude_fields=data`);
    return body.bugs[BUG].flatMap(({ flags }: { flags: { name: string }[] }) =>
      flags.map(({ name }) => name),
    );
  };

  beforeAll(async () => {
    const given = { name: 'reviewed', description: 'd', target_type: 'attachment', inclusions: ['Alpha'] };
    type = (await asAdmin('POST', '/rest/flag_type', given)).body.id;
    const creator = 'admin@example.com';
    const flag = { type_id: type, name: 'reviewed', status: '?', setter: creator };
    const flagsOf = (id: number) => [{ ...flag, id, creation_date: time, modification_date: time }];
    const attachments = times(MANY, (n) => aFile(BUG + n, { creator, data: '', flags: flagsOf(BUG + n) }));
    const comments = [aComment('t', { id: BUG })];
    const bug = { ...aBug(BUG, { comments, attachments, reporter: creator }), version: undefined };
    await applyCatalogue(bugless.table, parseCatalogue({ bugs: [bug] }));
    expect(await flagsOfAttachments()).toHaveLength(MANY);
  });

  it('follow their type', async () => {
    expect((await asAdmin('PUT', `/rest/flag_type/${type}`, { name: 'seen' })).status).toBe(200);
    expect(await flagsOfAttachments()).toEqual(Array(MANY).fill('seen'));
  });

  it('keep their bug in its product, whole', async () => {
    const move = { product: 'beta', component: 'Main', version: 'unspecified' };
    const { status, body } = await asAdmin('PUT', `/rest/bug/${BUG}`, move);
    expect([status, body.code]).toEqual([400, 32_000]);
    expect(await flagsOfAttachments()).toHaveLength(MANY);
  });

  it('go with their type', async () => {
    expect((await asAdmin('PUT', `/rest/flag_type/${type}`, { inclusions: ['beta'] })).status).toBe(200);
    expect(await flagsOfAttachments()).toEqual([]);
    await expectNoViolations(bugless.table);
  });
});

it('a product of several items gets a component and a flag type', async () => {
  const description = 'x'.repeat(10_000);
  const components = Array.from({ length: 12 }, (_, n) => ({ name: `C${n}`, description }));
  await applyCatalogue(bugless.table, parseNumbered({ products: [{ name: 'Large', components }] }));
  const component = { product: 'Large', name: 'New', description, default_assignee: 'admin@example.com' };
  expect((await asAdmin('POST', '/rest/component', component)).status).toBe(201);
  const flagType = { name: 'in-large', description, target_type: 'bug', inclusions: ['Large'] };
  expect((await asAdmin('POST', '/rest/flag_type', flagType)).status).toBe(201);
  const { body } = await asAdmin('GET', '/rest/product/Large');
  expect(body.products[0].components).toHaveLength(13);
});

it('a new component gives its people to new bugs', async () => {
  await asAdmin('POST', '/rest/component', {
    product: 'Alpha',
    name: 'Peopled',
    description: 'd',
    default_assignee: 'plain@example.com',
    default_qa_contact: 'user@example.com',
    default_cc: ['INSIDER@example.com'],
  });
  const bug = { product: 'Alpha', component: 'Peopled', version: 'unspecified', summary: 's' };
  const { body } = await call('POST', '/rest/bug', 'user', { ...bug, op_sys: 'All', platform: 'All' });
  const { body: read } = await asAdmin('GET', `/rest/bug/${body.id}`);
  expect(read.bugs[0]).toMatchObject({
    assigned_to: 'plain@example.com',
    qa_contact: 'user@example.com',
    cc: ['insider@example.com'],
  });
});

it('visits are those of the caller, to bugs that are visible', async () => {
  const visited = await call('POST', '/rest/bug_user_last_visit/1', 'user');
  expect((await call('GET', '/rest/bug_user_last_visit/1', 'user')).body).toEqual(visited.body);
  expect((await call('GET', '/rest/bug_user_last_visit/1', 'plain')).body).toEqual([]);
  const hidden = await call('GET', '/rest/bug_user_last_visit/28', 'noedit');
  expect([hidden.status, hidden.body.code]).toEqual([401, 102]);
  expect((await call('GET', '/rest/bug_user_last_visit/1', 'anonymous')).status).toBe(401);
});

describe('a user with as many API keys as there may be', () => {
  const KEYS = 120;
  const ADMIN = 'A'.repeat(40);
  const crowded = useStarted(() =>
    startBuglessWithPermissions(
      parseNumbered({
        groups: [{ name: 'creategroups' }, { name: 'editusers' }],
        users: [
          {
            ...{ login: 'admin@example.com', groups: ['creategroups', 'editusers'] },
            api_keys: [ADMIN, ...times(KEYS, (n) => String(n).padStart(40, 'k'))].map((key) => ({ key })),
          },
        ],
      }),
    ),
  );

  it('creates a group, and is in it with each key', async () => {
    const made = await crowded.call('POST', '/rest/group', {
      ...{ key: ADMIN, body: { name: 'new', description: 'd', is_active: true } },
    });
    expect(made.status).toBe(201);
    for (const key of [ADMIN, '7'.padStart(40, 'k')]) {
      const { body } = await crowded.call('GET', '/rest/user?names=admin@example.com', { key });
      expect(body.users[0].groups.map(({ name }: { name: string }) => name)).toContain('new');
    }
    await expectNoViolations(crowded.table);
  });
});
