import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/request.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { times } from '../support/times.ts';

const PATH = '/rest/bugless/saved_searches';
const bugless = useStarted(startBuglessWithPermissions);

const list = async (key: string) => (await bugless.call('GET', PATH, { key })).body.saved_searches;
const save = (key: string, body: object) => bugless.call('POST', PATH, { key, body });
const change = (key: string, id: number, body: object) => bugless.call('PUT', `${PATH}/${id}`, { key, body });
const remove = (key: string, id: number) => bugless.call('DELETE', `${PATH}/${id}`, { key });
/** Asks as an administrator of users. */
const changeUser = (login: string, body: object) =>
  bugless.call('PUT', `/rest/user/${login}`, { key: keys.admin, body });

describe('the saved searches of a user', () => {
  it('are saved, changed and removed, and the own record has them', async () => {
    const { status, body } = await save(keys.plain, { name: ' Mine ', query: 'product=Alpha' });
    expect([status, body]).toEqual([201, { id: 1 }]);
    const other = (await save(keys.plain, { name: 'also', query: 'product=Beta&product=Alpha' })).body.id;
    const mine = { id: 1, name: 'Mine', query: 'product=Alpha', group: null, owner: 'plain@example.com' };
    expect(await list(keys.plain)).toEqual([
      { ...mine, id: other, name: 'also', query: 'product=Beta&product=Alpha' },
      mine,
    ]);
    const changed = await change(keys.plain, 1, { name: 'Ours' });
    expect(changed.body).toEqual({ saved_searches: [{ ...mine, name: 'Ours' }] });
    expect((await remove(keys.plain, other)).status).toBe(200);
    const { users } = (await bugless.call('GET', '/rest/user/plain@example.com', { key: keys.plain })).body;
    expect(users[0].saved_searches).toEqual([{ id: 1, name: 'Ours', query: 'product=Alpha' }]);
    const { users: seen } = (await bugless.call('GET', '/rest/user/plain@example.com', { key: keys.admin }))
      .body;
    expect(seen[0].saved_searches).toBeUndefined();
    // An id is not given twice.
    expect((await save(keys.plain, { name: 'also', query: 'product=Beta' })).body.id).toBe(3);
    await expectNoViolations(bugless.table);
  });

  it('are seen by their owner only', async () => {
    await save(keys.tagger, { name: 'Private', query: 'product=Alpha' });
    expect(await list(keys.admin)).toEqual([]);
    expect((await bugless.call('GET', PATH)).body.code).toBe(410);
  });

  it('are those of one address, without what stands before it and without credentials', async () => {
    const secrets = CREDENTIAL_PARAMETERS.map((name) => `${name}=secret`).join('&');
    const given = `https://bugs.example.org/buglist.cgi?short_desc=${encodeURIComponent('ä & ö')}&${secrets}&order=bug%5Fid`;
    const { id } = (await save(keys.editor, { name: 'Address', query: given })).body;
    const [{ query }] = await list(keys.editor);
    expect(query).toBe('short_desc=%C3%A4+%26+%C3%B6&order=bug_id');
    await change(keys.editor, id, { query: 'short_desc=ä' });
    expect((await list(keys.editor))[0].query).toBe('short_desc=%C3%A4');
  });

  it.each<[string, object, number, number]>([
    ['no name', { query: 'a=1' }, 400, 50],
    ['a blank name', { name: ' ', query: 'a=1' }, 400, 50],
    ['a long name', { name: 'n'.repeat(65), query: 'a=1' }, 400, 53],
    ['an invisible character in the name', { name: 'a\u200bb', query: 'a=1' }, 400, 53],
    ['a name that is taken', { name: 'TAKEN', query: 'a=1' }, 400, 53],
    ['no query', { name: 'n' }, 400, 50],
    ['nothing in the query', { name: 'n', query: '?' }, 400, 53],
    ['a long query', { name: 'n', query: `a=${'ä'.repeat(1_000)}` }, 400, 53],
    ['a group without the user', { name: 'n', query: 'a=1', group: 'secret-team' }, 400, 53],
    ['no group', { name: 'n', query: 'a=1', group: 'no-such-group' }, 400, 53],
  ])('are refused with %s', async (_, body, status, code) => {
    const before = await list(keys.tracker);
    if (before.length === 0) await save(keys.tracker, { name: 'Taken', query: 'a=1' });
    const reply = await save(keys.tracker, body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(await list(keys.tracker)).toHaveLength(1);
  });

  it('that are not there, or of others, can be neither changed nor removed', async () => {
    for (const reply of [await change(keys.admin, 77, { name: 'x' }), await remove(keys.admin, 77)])
      expect([reply.status, reply.body.code]).toEqual([404, 51]);
    const { status } = await bugless.call('DELETE', `${PATH}/abc`, { key: keys.admin });
    expect(status).toBe(400);
  });

  it('are at most 100, also when they are saved at the same time', async () => {
    const key = 'NoeditKey0000000000000000000000000000000';
    const saved_searches = times(97, (index) => ({ name: `s${index}`, query: 'product=Alpha' }));
    const login = 'noedit@example.com';
    await applyCatalogue(bugless.table, parseNumbered({ users: [{ login, saved_searches }] }));
    const saves = times(6, (index) => save(key, { name: `n${index}`, query: 'product=Alpha' }));
    const statuses = (await Promise.all(saves)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, 400, 400, 400]);
    expect(await list(key)).toHaveLength(100);
    await expectNoViolations(bugless.table);
  });
});

const shared = async (key: string) =>
  (await list(key)).filter(({ owner }: { owner: string }) => owner === 'secret@example.com');

it('a shared search is seen by members while its owner is one, and is changed by the owner only', async () => {
  const query = 'product=Alpha';
  const { id } = (await save(keys.secret, { name: 'Ours', query, group: 'Secret-Team' })).body;
  const seen = { id, name: 'Ours', query, group: 'secret-team', owner: 'secret@example.com' };
  expect(await shared(keys.admin)).toEqual([seen]);
  expect(await shared(keys.insider)).toEqual([]);
  expect((await change(keys.admin, id, { name: 'Mine' })).status).toBe(404);
  expect((await remove(keys.admin, id)).status).toBe(404);
  await expectNoViolations(bugless.table);

  await changeUser('secret@example.com', { groups: { remove: ['secret-team'] } });
  expect(await shared(keys.admin)).toEqual([]);
  expect(await shared(keys.secret)).toEqual([seen]);
  await changeUser('secret@example.com', { groups: { add: ['secret-team'] } });
  await changeUser('secret@example.com', { login_denied_text: 'Left' });
  expect(await shared(keys.admin)).toEqual([]);
  await changeUser('secret@example.com', { login_denied_text: '' });
  expect(await shared(keys.admin)).toEqual([seen]);

  const { users } = await exportedCatalogue(bugless.table);
  const owner = users.find(({ login }: { login: string }) => login === 'secret@example.com');
  expect(owner.saved_searches).toEqual([{ id, name: 'Ours', query, group: 'secret-team' }]);

  await change(keys.secret, id, { group: 'insiders' });
  expect((await shared(keys.insider)).map(({ group }: { group: string }) => group)).toEqual(['insiders']);
  await change(keys.secret, id, { group: null });
  for (const key of [keys.admin, keys.insider]) expect(await shared(key)).toEqual([]);
  await expectNoViolations(bugless.table);
});

describe('the address of a saved search', () => {
  const search = useStarted(startBuglessWithPermissions);
  const call = (path: string, key?: string) => search.call('GET', path, { key });
  const idsAt = async (path: string, key?: string) => {
    const { status, body } = await call(`${path}&include_fields=id`, key);
    return status === 200 ? body.bugs.map(({ id }: { id: number }) => id) : [status, body.code];
  };
  const RUN = 'cmdtype=runnamed&namedcmd=Of%20Alpha';

  it('finds what it finds, by every spelling and in every format, for who sees it', async () => {
    const insider = { key: keys.insider };
    const body = { name: 'Of Alpha', query: 'product=Alpha&order=bug_id%20DESC', group: 'insiders' };
    expect((await search.call('POST', PATH, { ...insider, body })).status).toBe(201);
    const expected = await idsAt('/rest/bug?product=Alpha&order=bug_id%20DESC', keys.insider);
    expect(expected.length).toBeGreaterThan(0);
    const sharer = (await call('/rest/whoami', keys.insider)).body.id;
    for (const query of [
      RUN,
      'cmdtype=dorem&remaction=run&namedcmd=of%20alpha',
      'savedsearch=Of%20Alpha',
      `${RUN}&sharer_id=${sharer}`,
      `${RUN}&product=Beta`,
    ]) {
      expect([query, await idsAt(`/rest/bug?${query}`, keys.insider)]).toEqual([query, expected]);
    }
    const ignoring = await call(`/rest/bug?${RUN}&product=Beta`, keys.insider);
    expect(ignoring.headers.get('x-bugless-ignored')).toBe('product');
    const admin = keys.admin;
    expect(await idsAt(`/rest/bug?${RUN}&sharer_id=${sharer}`, admin)).toEqual(
      await idsAt('/rest/bug?product=Alpha&order=bug_id%20DESC', admin),
    );
    const headers = { 'x-bugzilla-api-key': keys.insider };
    const csv = await (
      await search.fetch(`/rest/bugless/list.csv?${RUN}&columnlist=bug_id`, { headers })
    ).text();
    expect(csv.trim().split('\n').slice(1).map(Number)).toEqual(expected);
    const feed = await (await search.fetch(`/rest/bugless/list.atom?${RUN}`, { headers })).text();
    expect(feed.match(/<entry>/g)).toHaveLength(expected.length);
  });

  it('finds nothing for others', async () => {
    expect(await idsAt(`/rest/bug?${RUN}`)).toEqual([401, 410]);
    expect(await idsAt(`/rest/bug?${RUN}`, keys.plain)).toEqual([404, 51]);
    const sharer = (await call('/rest/whoami', keys.insider)).body.id;
    expect(await idsAt(`/rest/bug?${RUN}&sharer_id=${sharer}`, keys.plain)).toEqual([404, 51]);
    expect(await idsAt('/rest/bug?cmdtype=runnamed', keys.plain)).toEqual([404, 51]);
  });

  it('is an ordinary search where its name is only kept in an old link', async () => {
    const ids = await idsAt('/rest/bug?cmdtype=doit&namedcmd=Blockers&product=Alpha');
    expect(ids).toEqual(await idsAt('/rest/bug?product=Alpha'));
  });
});
