import { describe, expect, it } from 'vitest';
import { startBugless, startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

const bugless = useStarted(() => startBugless());
const key = keys.admin;
const create = async (): Promise<number> =>
  (await bugless.call('POST', '/rest/bug', { key, body: NEW_BUG })).body.id;
const versionOf = async (id: number): Promise<string> => {
  const path = `/rest/bug/${id}?include_fields=id,bugless_version`;
  const { body } = await bugless.call('GET', path, { key });
  return body.bugs[0].bugless_version;
};
const put = async (id: number | string, body: object, version: string) => {
  const headers = { 'if-match': version };
  const reply = await bugless.call('PUT', `/rest/bug/${id}`, { key, body, headers });
  return [reply.status, reply.body.code ?? 0];
};

describe('the version of a bug', () => {
  it('is another after each change and comment, and the same after what changes nothing', async () => {
    const id = await create();
    const versions = [await versionOf(id)];
    await bugless.call('PUT', `/rest/bug/${id}`, { key, body: { whiteboard: 'a' } });
    versions.push(await versionOf(id));
    await bugless.call('POST', `/rest/bug/${id}/comment`, { key, body: { comment: 'b' } });
    versions.push(await versionOf(id));
    await bugless.call('PUT', `/rest/bug/${id}`, { key, body: { whiteboard: 'a' } });
    expect(await versionOf(id)).toBe(versions[2]);
    expect(new Set(versions).size).toBe(3);
  });

  it('is shown only where it is named, in searches, too', async () => {
    const id = await create();
    const shown = async (path: string) => (await bugless.call('GET', path, { key })).body.bugs[0];
    expect(await shown(`/rest/bug?id=${id}&include_fields=bugless_version`)).toEqual({
      bugless_version: await versionOf(id),
    });
    for (const query of ['', '&include_fields=_all', '&include_fields=_extra,id']) {
      expect(await shown(`/rest/bug?id=${id}${query}`)).not.toHaveProperty('bugless_version');
    }
  });
});

describe('PUT of a bug with If-Match', () => {
  it('changes it in this version only, and writes nothing in another: a repeated request is refused', async () => {
    const id = await create();
    const version = await versionOf(id);
    expect(await put(id, { whiteboard: 'a', comment: { body: 'b' } }, `"${version}"`)).toEqual([200, 0]);
    const before = await allItems(bugless.table);
    expect(await put(id, { whiteboard: 'a', comment: { body: 'b' } }, `"${version}"`)).toEqual([412, 32000]);
    expect(await put(id, { whiteboard: 'a' }, `"${version}"`)).toEqual([412, 32000]);
    expect(await put(id, { comment: { body: 'b' } }, version)).toEqual([412, 32000]);
    expect(await allItems(bugless.table)).toEqual(before);
  });

  it.each([
    ['bare', (version: string) => version],
    ['in a list', (version: string) => `"9.9", "${version}"`],
    ['any', () => '*'],
  ])('takes the version %s', async (_, spell) => {
    const id = await create();
    expect(await put(id, { whiteboard: 'a' }, spell(await versionOf(id)))).toEqual([200, 0]);
  });

  it.each([
    ['a weak one', (version: string) => `W/"${version}"`],
    ['an ETag of the response', () => '"6dcd4ce23d88e2ee9568ba546c007c63d9131c1b"'],
    ['an empty one', () => '""'],
  ])('is refused for %s', async (_, spell) => {
    const id = await create();
    expect(await put(id, { whiteboard: 'a' }, spell(await versionOf(id)))).toEqual([412, 32000]);
  });

  it('is for one bug, which may be named twice; rights and visibility come first', async () => {
    const id = await create();
    const version = await versionOf(id);
    expect(await put(id, { whiteboard: 'a', ids: [1] }, version)).toEqual([400, 53]);
    expect(await put(id, { whiteboard: 'a', ids: [id] }, version)).toEqual([200, 0]);
    expect(await put(99_999, { whiteboard: 'a' }, '0.0')).toEqual([404, 101]);
  });
});

it.each([
  ['fields', (number: number) => ({ whiteboard: `[${number}]` })],
  [
    'comments, which are queued on a busy bug without it',
    (number: number) => ({ comment: { body: `c${number}` } }),
  ],
])('two changes of one version at once are one change, of %s', async (_, bodyOf) => {
  const busy = await startBuglessWithConflicts();
  const { body } = await busy.call('POST', '/rest/bug', { key, body: NEW_BUG });
  const path = `/rest/bug/${body.id}`;
  const read = await busy.call('GET', `${path}?include_fields=bugless_version`, { key });
  const headers = { 'if-match': `"${read.body.bugs[0].bugless_version}"` };
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => busy.call('PUT', path, { key, headers, body: bodyOf(index) })),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(412)]);
  const after = await busy.call('GET', `${path}/comment`, { key });
  const history = await busy.call('GET', `${path}/history`, { key });
  const changes = after.body.bugs[body.id].comments.length - 1 + history.body.bugs[0].history.length;
  expect(changes).toBe(1);
});
