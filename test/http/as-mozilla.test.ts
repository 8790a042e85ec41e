import { beforeAll, describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';

const KEYS = { admin: 'a'.repeat(40), reporter: 'r'.repeat(40) };
const ADMIN = 'admin@example.com';
const duplicate = (id: number, dupe_of: number, more: object = {}) =>
  aBug(id, { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of, ...more });

const bugless = useStarted(() =>
  startBugless(
    parseNumbered({
      groups: ['editbugs', 'vault'].map((name) => ({ name, description: name })),
      users: [
        { login: ADMIN, groups: ['editbugs', 'vault'], api_keys: [{ key: KEYS.admin }] },
        { login: REPORTER, api_keys: [{ key: KEYS.reporter }] },
      ],
      products: [aProduct(1, 'Alpha'), aProduct(2, 'Beta')],
      bugs: [
        aBug(1, { summary: 'The parser crashes on (nested) quotes' }),
        duplicate(2, 1, { summary: 'parser crashes quotes quotes' }),
        duplicate(3, 2, { summary: 'Crashes', reporter: ADMIN, groups: ['vault'] }),
        aBug(4, { summary: 'A crashes elsewhere', product: 'Beta', cc: [REPORTER, ADMIN] }),
        aBug(5, { summary: 'Something else: the on of' }),
      ],
    }),
  ),
);
const get = (path: string, key: string = KEYS.admin) => bugless.call('GET', path, { key });
const found = async (query: string, path = '/rest/bug', key?: string): Promise<number[]> =>
  (await get(`${path}?${query}`, key)).body.bugs.map(({ id }: { id: number }) => id);

beforeAll(async () => {
  await bugless.call('PUT', '/rest/bug/5', {
    key: KEYS.admin,
    body: { priority: 'High', cc: { add: [ADMIN] } },
  });
});

describe('charts of Mozilla', () => {
  it.each([
    ['f1=priority&o1=everchanged', [5]],
    ['f1=priority&o1=everchanged&n1=1', [1, 2, 3, 4]],
    ['f1=op_sys&o1=everchanged', []],
    [`f1=anything&o1=changedby&v1=${ADMIN}`, [5]],
    [`f1=anything&o1=changedby&v1=${REPORTER}`, []],
    ['f1=anything&o1=everchanged', [5]],
    ['f1=cc_count&o1=greaterthan&v1=1', [4]],
    ['f1=cc_count&o1=equals&v1=0', [1, 2, 3]],
    ['f1=dupe_count&o1=greaterthan&v1=0', [1, 2]],
    ['f1=dupe_count&o1=equals&v1=0', [3, 4, 5]],
    ['order=cc_count%20DESC&limit=2', [4, 5]],
  ])('%s finds %j', async (query, ids) => expect(await found(query)).toEqual(ids));

  it.each(['f1=anything&o1=equals&v1=x', 'f1=nothing&o1=everchanged'])('refuse %s', async (query) =>
    expect((await get(`/rest/bug?${query}`)).status).toBe(400),
  );

  it('that are dropped for an unknown operator are named', async () => {
    const { headers } = await bugless.fetch(
      '/rest/bug?f1=priority&o1=everywhere&f2=priority&o2=equals&limit=1',
    );
    expect(headers.get('x-bugless-ignored')).toBe('o1 everywhere');
  });

  it('has no fields beyond those of 5.2 in its list', async () => {
    const { body } = await get('/rest/field/bug');
    expect(body.fields.map(({ name }: { name: string }) => name)).not.toContain('cc_count');
  });
});

describe('duplicates', () => {
  it('of a bug are shown by their name, as far as the caller sees them', async () => {
    const shown = async (key: string) =>
      (await get('/rest/bug/?ids=1&ids=2&include_fields=id,duplicates', key)).body.bugs;
    expect(await shown(KEYS.admin)).toEqual([
      { id: 1, duplicates: [2] },
      { id: 2, duplicates: [3] },
    ]);
    expect((await shown(KEYS.reporter))[1]).toEqual({ id: 2, duplicates: [] });
    expect((await get('/rest/bug/1')).body.bugs[0]).not.toHaveProperty('duplicates');
  });

  it.each([
    ['summary=Crashes+in+the+parser+of+quotes', [1, 4]],
    ['summary=crashes&limit=1', [4]],
    ['summary=crashes&products=Alpha', [1]],
    ['summary=crashes&products=Nowhere', []],
    ['summary=on+of+the', []],
    ['summary=(NESTED)', [1]],
  ])('that are possible, by %s, are %j', async (query, ids) => {
    expect(await found(query, '/rest/bug/possible_duplicates')).toEqual(ids);
  });

  it.each([
    ['', 50],
    ['summary=x&limit=many', 52],
  ])('that are possible need a summary: %s', async (query, code) => {
    expect((await get(`/rest/bug/possible_duplicates?${query}`)).body.code).toBe(code);
  });
});

it('/rest/parameters has the defaults of new bugs for users', async () => {
  const { parameters } = (await get('/rest/parameters?include_fields=defaultpriority,defaultseverity')).body;
  const { id } = (
    await bugless.call('POST', '/rest/bug', {
      ...{ key: KEYS.admin, body: { product: 'Alpha', component: 'Core', version: '1', summary: 's' } },
    })
  ).body;
  const [bug] = (await get(`/rest/bug/${id}`)).body.bugs;
  expect(parameters).toEqual({ defaultpriority: bug.priority, defaultseverity: bug.severity });
});
