import { describe, expect, it } from 'vitest';
import { audited } from '../support/audited.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions(catalogue()));
const PATH = '/rest/bugless/keyword';

const call = (method: string, path: string, body?: unknown, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });
const list = async (): Promise<{ name: string; description: string }[]> =>
  (await call('GET', PATH, undefined, 'nobody')).body.keywords;

describe('keywords', () => {
  it('are created, listed by name, and given to bugs', async () => {
    const keyword = { name: ' zebra ', description: ' Striped ' };
    const created = await call('POST', PATH, keyword);
    expect([created.status, created.body]).toEqual([201, { name: 'zebra', description: 'Striped' }]);
    const listed = await list();
    const names = listed.map(({ name }) => name.toLowerCase());
    expect(names).toEqual(names.toSorted());
    expect(listed).toContainEqual({ name: 'zebra', description: 'Striped' });
    expect((await call('PUT', '/rest/bug/2', { keywords: { add: ['ZEBRA'] } })).status).toBe(200);
    expect((await call('GET', '/rest/bug/2')).body.bugs[0].keywords).toContain('zebra');
  });

  it('get another description; bugs keep them', async () => {
    const changed = await call('PUT', `${PATH}/Zebra`, { description: 'Black and white' });
    expect([changed.status, changed.body]).toEqual([200, { name: 'zebra', description: 'Black and white' }]);
    expect(await list()).toContainEqual({ name: 'zebra', description: 'Black and white' });
    expect((await call('GET', '/rest/bug?keywords=zebra&include_fields=id')).body.bugs).toEqual([{ id: 2 }]);
  });

  it('leave entries in the audit log, but for requests that change nothing', async () => {
    await call('PUT', `${PATH}/zebra`, { description: 'Black and white' });
    expect(await audited(bugless.table, 'zebra')).toEqual([
      ['admin@example.com rest add keyword', 'keyword zebra: description "Striped", name "zebra"'],
      ['admin@example.com rest change keyword', 'keyword zebra: description "Striped" → "Black and white"'],
    ]);
  });

  it.each<[string, string, string, object, [number, number]]>([
    ['a name that is taken, in any case', 'POST', PATH, { name: 'ZEBRA', description: 'd' }, [400, 32000]],
    ['no name', 'POST', PATH, { description: 'd' }, [400, 50]],
    ['no description', 'POST', PATH, { name: 'yak' }, [400, 50]],
    ['white space in a name', 'POST', PATH, { name: 'a b', description: 'd' }, [400, 53]],
    ['a comma in a name', 'POST', PATH, { name: 'a,b', description: 'd' }, [400, 53]],
    ['a long name', 'POST', PATH, { name: 'n'.repeat(65), description: 'd' }, [400, 53]],
    ['a long description', 'POST', PATH, { name: 'yak', description: 'd'.repeat(1_001) }, [400, 53]],
    ['an unknown one', 'PUT', `${PATH}/yak`, { description: 'd' }, [404, 51]],
    ['an empty description', 'PUT', `${PATH}/zebra`, { description: '' }, [400, 50]],
    ['another name', 'PUT', `${PATH}/zebra`, { name: 'yak' }, [400, 53]],
  ])('are refused: %s', async (_, method, path, body, expected) => {
    const { status, body: error } = await call(method, path, body);
    expect([status, error.code]).toEqual(expected);
  });

  it.each([
    ['editor', 304],
    ['user', 304],
    ['nobody', 410],
  ])('are changed by members of editkeywords only, not by %s', async (as, code) => {
    const replies = [
      await call('POST', PATH, { name: 'yak', description: 'd' }, as),
      await call('PUT', `${PATH}/zebra`, { description: 'd' }, as),
    ];
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [401, code],
      [401, code],
    ]);
  });

  it('are created once by concurrent requests', async () => {
    const races = await Promise.all(
      [1, 2, 3].map((n) => call('POST', PATH, { name: 'raced', description: `Number ${n}` })),
    );
    expect(races.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    await expectNoViolations(bugless.table);
  });
});
