import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { anyItem, readItem } from '../../lib/table/read.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aFile, aProduct, REPORTER } from '../support/small-catalogue.ts';

const TIME = '2024-01-02T03:04:05Z';
const KEYS = { admin: 'a'.repeat(40), editor: 'e'.repeat(40), reporter: 'r'.repeat(40) };
const OTHER = 'other@example.com';

const flag = (id: number, type_id: number, name: string, more: object = {}) => ({
  ...{ id, type_id, name, status: '?', setter: REPORTER, requestee: null },
  ...{ creation_date: TIME, modification_date: TIME, ...more },
});
const user = (login: string, key: string, groups: string[]) => ({ login, groups, api_keys: [{ key }] });
const vault = { group: 'vault', entry: true, membercontrol: 'MANDATORY', canedit: false };
const shared = { id: 1, name: 'shared', target: 'bug', description: 'public' };

const CATALOGUE = parseNumbered({
  groups: ['editcomponents', 'editbugs', 'vault'].map((name) => ({ name, description: name })),
  users: [
    user('admin@example.com', KEYS.admin, ['editcomponents', 'editbugs', 'vault']),
    user('editor@example.com', KEYS.editor, ['editcomponents']),
    user(REPORTER, KEYS.reporter, []),
    { login: OTHER },
  ],
  products: [
    aProduct(1, 'Alpha', {
      components: [{ name: 'Core' }, { name: 'Edge' }],
      flag_types: [
        shared,
        { id: 3, name: 'review', target: 'bug' },
        { id: 4, name: 'approval', target: 'attachment' },
        { id: 5, name: 'core-only', target: 'bug', components: ['Core'] },
        { id: 6, name: 'core-files', target: 'attachment', components: ['Core'] },
      ],
    }),
    aProduct(2, 'Vault', {
      group_controls: [vault],
      flag_types: [shared, { id: 2, name: 'hidden', target: 'bug', description: 'secret' }],
    }),
    aProduct(3, 'Beta'),
  ],
  bugs: [
    aBug(1, {
      flags: [flag(1, 3, 'review', { requestee: OTHER }), flag(2, 1, 'shared'), flag(3, 5, 'core-only')],
      attachments: [aFile(1, { flags: [flag(4, 4, 'approval'), flag(5, 6, 'core-files')] })],
      comments: [aComment()],
    }),
    aBug(2, { product: 'Vault', flags: [flag(6, 1, 'shared'), flag(7, 2, 'hidden')] }),
  ],
});

const bugless = useStarted(() => startBuglessWithPermissions(CATALOGUE));

type Role = keyof typeof KEYS;
const call = (as: Role, method: string, path: string, body?: unknown) =>
  bugless.call(method, path, { key: KEYS[as], body });

const typesOf = async (as: Role, product: string, target = 'bug'): Promise<string[]> => {
  const { body } = await call(as, 'GET', `/rest/flag_type/${product}`);
  return body[target].map(({ name }: { name: string }) => name);
};

interface Shown {
  name: string;
  status: string;
  requestee?: string;
}
const text = ({ name, status, requestee }: Shown) => `${name}${status}${requestee ?? ''}`;
const flagsOf = async (id: number): Promise<string[]> =>
  (await call('admin', 'GET', `/rest/bug/${id}?include_fields=flags`)).body.bugs[0].flags.map(text);
const attachmentFlags = async (id: number, bug = 1): Promise<string[]> =>
  (await call('admin', 'GET', `/rest/bug/${bug}/attachment?attachment_ids=${id}`)).body.attachments[
    id
  ].flags.map(text);

describe('flag types of a product that the caller has no access to', () => {
  const given = { name: 'new', description: 'd', target_type: 'bug' };

  it.each([
    ['placed by POST', 'POST', '/rest/flag_type', { ...given, inclusions: ['Vault'] }],
    [
      'placed by POST in a component',
      'POST',
      '/rest/flag_type',
      { ...given, inclusions: [{ Vault: ['Core'] }] },
    ],
    ['excluded by POST', 'POST', '/rest/flag_type', { ...given, exclusions: ['vault'] }],
    ['placed by PUT', 'PUT', '/rest/flag_type/1', { inclusions: ['Vault'] }],
    ['placed by PUT beside another product', 'PUT', '/rest/flag_type/1', { inclusions: ['Alpha', 'Vault'] }],
    ['excluded by PUT', 'PUT', '/rest/flag_type/1', { exclusions: [{ Vault: ['Core'] }] }],
    ['read', 'GET', '/rest/flag_type/Vault', undefined],
    ['read of a component', 'GET', '/rest/flag_type/Vault/Core', undefined],
  ])('are those of an unknown product: %s', async (_, method, path, body) => {
    const refused = await call('editor', method, path, body);
    expect([refused.status, refused.body.code]).toEqual([401, 106]);
    const unknown = JSON.parse(JSON.stringify({ path, body: body ?? {} }).replaceAll(/vault/gi, 'Nowhere'));
    const other = await call('editor', method, unknown.path, body && unknown.body);
    expect([other.status, other.body.code]).toEqual([401, 106]);
  });

  it('are unknown by id, and by name', async () => {
    const byId = await call('editor', 'PUT', '/rest/flag_type/2', { description: 'd' });
    expect([byId.status, byId.body.code]).toEqual([404, 51]);
    const byIds = await call('editor', 'PUT', '/rest/flag_type/3', { ids: [2], description: 'd' });
    expect([byIds.status, byIds.body.code]).toEqual([404, 51]);
    const byName = await call('editor', 'PUT', '/rest/flag_type/hidden', { description: 'd' });
    expect(byName.body).toEqual({ flagtypes: [] });
    expect((await call('admin', 'GET', '/rest/flag_type/Vault')).body.bug).toContainEqual(
      expect.objectContaining({ name: 'hidden', description: 'secret' }),
    );
  });

  it.each([{ name: 'mine' }, { description: 'mine' }, { grant_group: 'editbugs' }, { is_active: false }])(
    'keep their properties where they share a type: %j',
    async (body) => {
      const { status, body: error } = await call('editor', 'PUT', '/rest/flag_type/1', body);
      expect([status, error.code]).toEqual([400, 1105]);
    },
  );

  it('keep their type, and the flags of their bugs, where it leaves all others', async () => {
    expect((await call('editor', 'PUT', '/rest/flag_type/1', { inclusions: ['Beta'] })).status).toBe(200);
    expect([await typesOf('admin', 'Alpha'), await typesOf('admin', 'Beta')]).toEqual([
      ['core-only', 'review'],
      ['shared'],
    ]);
    expect(await flagsOf(2)).toEqual(['hidden?', 'shared?']);
    expect((await call('editor', 'PUT', '/rest/flag_type/1', { inclusions: [] })).status).toBe(200);
    expect(await typesOf('admin', 'Alpha')).toContain('shared');
    expect(await flagsOf(2)).toEqual(['hidden?', 'shared?']);
  });

  it('get no type that a caller creates for all products', async () => {
    expect((await call('editor', 'POST', '/rest/flag_type', { ...given, name: 'all' })).status).toBe(201);
    expect(await typesOf('admin', 'Alpha')).toContain('all');
    expect(await typesOf('admin', 'Vault')).not.toContain('all');
  });
});

describe('flags', () => {
  const stored = () => readItem(bugless.table, bugKey(1), anyItem);
  const exportedBugs = async () => JSON.stringify((await exportedCatalogue(bugless.table)).bugs);

  it.each([
    [
      'PUT',
      'lens-review',
      async (name: string) => void (await call('admin', 'PUT', '/rest/flag_type/3', { name })),
    ],
    [
      'an import',
      'second-review',
      async (name: string) => {
        const { bugs: _, ...settings } = await exportedCatalogue(bugless.table);
        const renamed = JSON.stringify(settings).replaceAll('"name":"lens-review"', `"name":"${name}"`);
        await applyCatalogue(bugless.table, parseCatalogue(JSON.parse(renamed)), { isWhole: true });
      },
    ],
  ])('have the present name of their type, renamed by %s, without being written', async (_, name, rename) => {
    const before = await stored();
    await rename(name);
    expect(await flagsOf(1)).toContain(`${name}?${OTHER}`);
    expect(await stored()).toEqual(before);
    const search = `/rest/bug?f1=flagtypes.name&o1=equals&v1=${name}%3F&include_fields=id`;
    expect((await call('admin', 'GET', search)).body.bugs).toEqual([{ id: 1 }]);
    expect(await exportedBugs()).toContain(`"name":"${name}"`);
    const { body } = await call('admin', 'PUT', '/rest/bug/1', { flags: [{ name, status: '+' }] });
    expect(body.bugs[0].changes['flagtypes.name']).toEqual({
      removed: `${name}?(${OTHER})`,
      added: `${name}+`,
    });
    await call('admin', 'PUT', '/rest/bug/1', { flags: [{ name, status: '?', requestee: OTHER }] });
  });

  describe('whose type left their product', () => {
    const search = (field: string, operator: string, value: string) => async () => {
      const query = new URLSearchParams({ f1: field, o1: operator, v1: value, include_fields: 'id' });
      const { body } = await call('admin', 'GET', `/rest/bug?${query}`);
      return body.bugs.map(({ id }: { id: number }) => id);
    };
    const changeByFlag = (by: object) => async () => {
      const { status, body } = await call('admin', 'PUT', '/rest/bug/1', { flags: [{ ...by, status: '+' }] });
      return [status, body.code];
    };

    it.each([
      ['are not shown', () => flagsOf(1), ['core-only?', 'shared?']],
      ['are not shown on attachments', () => attachmentFlags(1), ['core-files?']],
      ['are not found by name', search('flagtypes.name', 'substring', 'review'), []],
      ['are not found on attachments', search('flagtypes.name', 'substring', 'approval'), []],
      ['are not found by requestee', search('requestees.login_name', 'equals', OTHER), []],
      ['cannot be changed by id', changeByFlag({ id: 1 }), [404, 51]],
      ['cannot be changed by type', changeByFlag({ type_id: 3 }), [404, 51]],
    ])('%s', async (_, view, expected) => {
      for (const type of [3, 4])
        await call('admin', 'PUT', `/rest/flag_type/${type}`, { inclusions: ['Beta'] });
      expect(await view()).toEqual(expected);
    });

    it('are not exported', async () => {
      expect(await exportedBugs()).not.toMatch(/"name":"(approval|second-review)"/);
    });

    it('go with the next change of their bug, without history', async () => {
      await call('admin', 'PUT', '/rest/bug/1', { summary: 'Changed' });
      const { flags } = (await stored()) as unknown as { flags: { type_id: number }[] };
      expect(flags.map(({ type_id }) => type_id)).toEqual([1, 5]);
      const { body } = await call('admin', 'GET', '/rest/bug/1/history');
      expect(body.bugs[0].history.at(-1).changes).toEqual([
        { field_name: 'summary', removed: 'Bug 1', added: 'Changed' },
      ]);
    });
  });

  it('that go because the bug moves leave the time of the last change of an attachment', async () => {
    const { body } = await call('admin', 'PUT', '/rest/bug/1', { component: 'Edge' });
    expect(body.bugs[0].changes['flagtypes.name']).toEqual({ removed: 'core-only?, core-files?', added: '' });
    expect(await attachmentFlags(1)).toEqual([]);
    const { body: read } = await call(
      'admin',
      'GET',
      '/rest/bug/attachment/1?include_fields=last_change_time',
    );
    expect(read.attachments[1]).toEqual({ last_change_time: TIME });
    await call('admin', 'PUT', '/rest/bug/1', { component: 'Core' });
    expect(await attachmentFlags(1)).toEqual([]);
  });

  it.each([
    ['by id', (id: number) => ({ id, status: '?' })],
    ['by type', () => ({ type_id: 1, status: '?' })],
    ['by name', () => ({ name: 'shared', status: '?' })],
    ['with null', (id: number) => ({ id, status: '?', requestee: null })],
    ['with a blank', (id: number) => ({ id, status: '?', requestee: ' ' })],
  ])('lose their requestee when they are requested of nobody: %s', async (_, given) => {
    await call('reporter', 'PUT', '/rest/bug/1', {
      flags: [{ name: 'shared', status: '?', requestee: OTHER }],
    });
    const { body: read } = await call('admin', 'GET', '/rest/bug/1?include_fields=flags');
    const [{ id, setter }] = read.bugs[0].flags;
    const { body } = await call('admin', 'PUT', '/rest/bug/1', { flags: [given(id)] });
    expect(body.bugs[0].changes['flagtypes.name']).toEqual({
      removed: `shared?(${OTHER})`,
      added: 'shared?',
    });
    const { body: after } = await call('admin', 'GET', '/rest/bug/1?include_fields=flags');
    expect(after.bugs[0].flags).toEqual([expect.objectContaining({ id, setter, status: '?' })]);
    const again = await call('admin', 'PUT', '/rest/bug/1', { flags: [given(id)] });
    expect(again.body.bugs[0].changes).toEqual({});
  });
});

it('a flag type whose name is a number is not taken for the type with that id', async () => {
  const { body } = await call('admin', 'POST', '/rest/flag_type', {
    ...{ name: '1', description: 'A number', inclusions: ['Alpha'] },
  });
  const named = { names: ['1'], description: 'Changed' };
  const changed = await call('admin', 'PUT', '/rest/flag_type/no-such', named);
  expect(changed.body.flagtypes).toEqual([expect.objectContaining({ id: body.id, name: '1' })]);
  const byPath = await call('admin', 'PUT', '/rest/flag_type/1', { description: 'By id' });
  expect(byPath.body.flagtypes).toEqual([expect.objectContaining({ id: 1, name: 'shared' })]);
});

it.each(['inclusions', 'exclusions'])('inclusions that name no product are refused: %s', async (field) => {
  const given = { name: 'nowhere', description: 'd', [field]: [{}] };
  const { status, body } = await call('admin', 'POST', '/rest/flag_type', given);
  expect([status, body.code]).toEqual([400, 53]);
});

it('a new flag type is of bugs, and has the defaults, where a request does not say', async () => {
  const nulls = { is_active: null, is_requestable: null, is_specifically_requestable: null, sortkey: null };
  const given = { name: 'plain', description: 'd', is_multiplicable: null, ...nulls, inclusions: ['Beta'] };
  const { status } = await call('admin', 'POST', '/rest/flag_type', given);
  expect(status).toBe(201);
  const { body } = await call('admin', 'GET', '/rest/flag_type/Beta');
  expect(body.bug).toContainEqual(
    expect.objectContaining({
      name: 'plain',
      is_active: true,
      is_multiplicable: true,
      values: ['X', '?', '+', '-'],
    }),
  );
});

describe('the flag types of a component', () => {
  it.each(['/rest/flag_type/Alpha/Edge', '/rest/flag_type/Alpha?component=edge'])(
    'are those of %s',
    async (path) => {
      const { body } = await call('admin', 'GET', path);
      expect(body.attachment).toEqual([]);
      expect(body.bug.map(({ name }: { name: string }) => name)).not.toContain('core-only');
    },
  );

  it('are unknown with the component', async () => {
    const { status, body } = await call('admin', 'GET', '/rest/flag_type/Alpha?component=Nowhere');
    expect([status, body.code]).toEqual([404, 51]);
  });
});
