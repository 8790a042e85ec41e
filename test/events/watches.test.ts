import { describe, expect, it } from 'vitest';
import { MAX_WATCHED, MAX_WATCHERS } from '../../lib/changes/watches/schema.ts';
import { userIdKey, userKey, watchersKey } from '../../lib/table/keys.ts';
import { anyItem, readItem } from '../../lib/table/read.ts';
import { batchWrite, setItem } from '../../lib/table/write.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { times } from '../support/times.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBuglessWithPermissions({ ...catalogue(), bugs: [] }, RECORDED_SETTINGS),
);
const PATH = '/rest/bugless/preferences';
const USER = 'user@example.com';

const send = (as: string, body: object) => bugless.call('PUT', PATH, { key: keys.get(as), body });
const read = async (as: string) => {
  const { body } = await bugless.call('GET', PATH, { key: keys.get(as) });
  return { users: body.watched_users, components: body.watched_components };
};
async function watch(as: string, body: object): Promise<object> {
  const reply = await send(as, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const { watched_users: users, watched_components: components } = reply.body;
  expect(await read(as)).toEqual({ users, components });
  return { users, components };
}
const member = (as: string, change: 'add' | 'remove') =>
  bugless.call('PUT', `/rest/user/${as}@example.com`, {
    ...{ key: keys.get('admin'), body: { groups: { [change]: ['secret-team'] } } },
  });

describe('what a user watches', () => {
  it('is set list by list, each once, in the stored spelling, without oneself', async () => {
    expect(await read('plain')).toEqual({ users: [], components: [] });
    const watched_users = ['USER@example.com', ` ${USER} `, 'plain@example.com', 'disabled@example.com'];
    const users = ['disabled@example.com', USER];
    expect(await watch('plain', { watched_users })).toEqual({ users, components: [] });
    const watched_components = [
      { product: 'TESTPRODUCT', component: 'testcomponent' },
      { product: 'Alpha', component: null },
      { product: 'Alpha', component: 'ui' },
      { product: 'Alpha', component: 'UI' },
      { product: 'A/B & <C> 50% + "q"', component: 'x/y' },
    ];
    const components = [
      { product: 'A/B & <C> 50% + "q"', component: 'x/y' },
      { product: 'Alpha', component: null },
      { product: 'Alpha', component: 'UI' },
      { product: 'TestProduct', component: 'TestComponent' },
    ];
    expect(await watch('plain', { watched_components })).toEqual({ users, components });
    await expectNoViolations(bugless.table);
    expect(await watch('plain', { real_name: 'Paul' })).toEqual({ users, components });
    expect(await watch('plain', { watched_users: [] })).toEqual({ users: [], components });
    expect(await watch('plain', { watched_components: [] })).toEqual({ users: [], components: [] });
    await expectNoViolations(bugless.table);
  });

  it.each<[what: string, body: object, status: number, code: number]>([
    ['an unknown user', { watched_users: [USER, 'nobody@example.com'] }, 404, 51],
    ['an empty login', { watched_users: [''] }, 404, 51],
    ['an unknown product', { watched_components: [{ product: 'Nonsense' }] }, 401, 106],
    ['a product that one may not see', { watched_components: [{ product: 'Secret' }] }, 401, 106],
    [
      'a component of a product that one may not see',
      { watched_components: [{ product: 'Secret', component: 'Vault' }] },
      401,
      106,
    ],
    [
      'an unknown component of it, so that it tells nothing',
      { watched_components: [{ product: 'Secret', component: 'Nonsense' }] },
      401,
      106,
    ],
    ['an unknown component', { watched_components: [{ product: 'Alpha', component: 'Nonsense' }] }, 404, 51],
    ['no product', { watched_components: [{ component: 'UI' }] }, 400, 53],
    ['no object', { watched_components: ['Alpha'] }, 400, 53],
    ['no list', { watched_components: 'Alpha' }, 400, 53],
    ['too many users', { watched_users: times(MAX_WATCHED + 1, () => USER) }, 400, 32000],
    [
      'too many components',
      { watched_components: times(MAX_WATCHED + 1, () => ({ product: 'Alpha' })) },
      400,
      32000,
    ],
    ['a wrong name beside it', { watched_users: [USER], real_name: 'n'.repeat(256) }, 400, 53],
  ])('is refused with %s, and nothing is changed', async (_, body, status, code) => {
    const reply = await send('tracker', { email_enabled: false, ...body });
    expect([reply.status, reply.body.code], JSON.stringify(reply.body)).toEqual([status, code]);
    expect(await read('tracker')).toEqual({ users: [], components: [] });
    const { body: after } = await bugless.call('GET', PATH, { key: keys.get('tracker') });
    expect(after.email_enabled).toBe(true);
  });

  it('is not shown, and stays, in products that one may not see any more', async () => {
    const vault = { product: 'Secret', component: 'Vault' };
    const alpha = { product: 'Alpha', component: null };
    await watch('secret', { watched_components: [vault, alpha] });
    await member('secret', 'remove');
    expect(await read('secret')).toEqual({ users: [], components: [alpha] });
    expect(await watch('secret', { watched_components: [] })).toEqual({ users: [], components: [] });
    await member('secret', 'add');
    expect(await read('secret')).toEqual({ users: [], components: [vault] });
    await expectNoViolations(bugless.table);
  });

  it('follows products and components that are renamed', async () => {
    await watch('editor', { watched_components: [{ product: 'beta' }] });
    const body = { name: 'Gamma <b>' };
    await bugless.call('PUT', '/rest/product/beta', { key: keys.get('admin'), body });
    expect(await read('editor')).toEqual({
      users: [],
      components: [{ ...{ product: 'Gamma <b>' }, component: null }],
    });
  });

  it('may be all at once, in several transactions', async () => {
    const logins = times(MAX_WATCHED, (index) => `many${String(index).padStart(3, '0')}@example.com`);
    const users = logins.map((login, index) => ({
      ...{ id: 1_000 + index, login, real_name: '', groups: [], revision: 0 },
    }));
    await batchWrite(bugless.table, [
      ...users.map((user) => ({ ...userKey(user.login), ...user })),
      ...users.map((user) => ({ ...userIdKey(user.id), login: user.login })),
    ]);
    expect(await watch('confirm', { watched_users: logins })).toMatchObject({ users: logins });
    const [first] = logins;
    expect(await watch('confirm', { watched_users: [first] })).toMatchObject({ users: [first] });
  });

  it('is one of two lists that are written at once', async () => {
    const logins = (first: number) =>
      times(60, (index) => `many${String(first + index).padStart(3, '0')}@example.com`);
    const [a, b] = [logins(0), logins(40)];
    const all = await Promise.all([a, b].map((watched_users) => send('insider', { watched_users })));
    expect(all.map(({ status }) => status)).toEqual([200, 200]);
    expect([a, b]).toContainEqual((await read('insider')).users);
    await watch('insider', { watched_users: [] });
  });

  it('is written by several at once', async () => {
    const names = ['user', 'insider', 'tracker', 'plain', 'confirm'];
    const all = await Promise.all(
      names.map((as) => send(as, { watched_components: [{ product: 'Alpha', component: 'api' }] })),
    );
    expect(all.map(({ status }) => status)).toEqual(names.map(() => 200));
    const item = await readItem(bugless.table, watchersKey({ kind: 'component', id: 5 }), anyItem);
    expect(new Set(item?.['user_ids'] as number[])).toEqual(new Set([2, 3, 4, 5, 10]));
  });

  it('is refused where so many watch the same already', async () => {
    const target = { kind: 'component', id: 4 };
    const user_ids = times(MAX_WATCHERS, (index) => 5_000 + index);
    await setItem(bugless.table, watchersKey(target), { ...target, user_ids, revision: 1 });
    const reply = await send('noedit', { watched_components: [{ product: 'Alpha', component: 'Legacy' }] });
    expect([reply.status, reply.body.code]).toEqual([400, 32000]);
    expect(reply.body.message).toContain(String(MAX_WATCHERS));
    expect(await read('noedit')).toEqual({ users: [], components: [] });
  });
});
