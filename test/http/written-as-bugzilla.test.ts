import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

/** What a Bugzilla 5.2 does with unusual values of bugs, found by random requests to both. functions/bugs/README.md 4. */

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBuglessWithPermissions({ ...catalogue(), bugs: [] }, RECORDED_SETTINGS),
);

const NEW = { product: 'Alpha', component: 'UI', version: 'unspecified', op_sys: 'All', platform: 'All' };
const send = async (method: string, path: string, body: object | string) => {
  const headers = { 'x-bugzilla-api-key': keys.get('admin') ?? '', 'content-type': 'application/json' };
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await bugless.fetch(path, { method, headers, body: sent });
  return { status: response.status, body: JSON.parse(await response.text()) };
};
const create = async (body: object = {}): Promise<number> =>
  (await send('POST', '/rest/bug', { ...NEW, summary: 'New', ...body })).body.id;
const get = async (path: string) => (await bugless.call('GET', path, { key: keys.get('admin') })).body;
const bugOf = async (id: number) => (await get(`/rest/bug/${id}`)).bugs[0];

/** Gives a list to a new bug, to one and to two: the bugs after it. */
const DOORS: readonly [string, (field: string, given: unknown[]) => Promise<[number, ...number[]]>][] = [
  ['POST', async (field, given) => [await create({ [field]: given })]],
  [
    'PUT',
    async (field, given) => {
      const id = await create();
      expect((await send('PUT', `/rest/bug/${id}`, { [field]: { add: given } })).status).toBe(200);
      return [id];
    },
  ],
  [
    'PUT of several',
    async (field, given) => {
      const [one, two] = [await create(), await create()];
      const body = { ids: [two], [field]: { add: given } };
      expect((await send('PUT', `/rest/bug/${one}`, body)).status).toBe(200);
      return [one, two];
    },
  ],
];

describe.each(DOORS)('%s', (_, give) => {
  it.each(['blocks', 'depends_on'])('takes 0 for no bug in %s', async (field) => {
    const other = await create();
    for (const id of await give(field, [0, other, '0'])) expect((await bugOf(id))[field]).toEqual([other]);
  });

  it('takes an empty text for no flags', async () => {
    const [id] = await give('keywords', []);
    expect((await send('PUT', `/rest/bug/${id}`, { flags: '' })).status).toBe(200);
    expect(await create({ flags: '' })).toEqual(expect.any(Number));
  });
});

it.each([
  ['NOSUCH', 404, 51],
  ['---', 404, 51],
  ['', 400, 50],
  ['FIXED', 400, 122],
  [7, 404, 51],
])('the resolution %s of a new bug is refused', async (resolution, status, code) => {
  const refused = await send('POST', '/rest/bug', { ...NEW, summary: 'New', resolution });
  expect([refused.status, refused.body.code]).toEqual([status, code]);
});

it('see_also of a new bug is divided where it is a text, not where it is a list', async () => {
  const text = await create({ see_also: '1, 2 https://github.com/a/b/issues/3' });
  expect((await bugOf(text)).see_also).toHaveLength(3);
  const list = { ...NEW, summary: 'New', see_also: ['1, 2'] };
  expect((await send('POST', '/rest/bug', list)).body.code).toBe(112);
});

describe('lists that name what is not there', () => {
  const doors: readonly [string, (other?: object) => Promise<object>][] = [
    ['PUT', async () => ({})],
    ['PUT of several', async (other) => ({ ids: [await create(other)] })],
  ];

  it.each(doors)('%s takes a group that is added and removed for no change', async (_, others) => {
    const groups = { add: ['secret-team'], remove: ['secret-team'] };
    const guarded = { product: 'Guarded', component: 'Main' };
    const id = await create(guarded);
    const { status, body } = await send('PUT', `/rest/bug/${id}`, { ...(await others(guarded)), groups });
    expect([status, body.bugs?.[0].changes]).toEqual([200, {}]);
    const refused = await send('PUT', `/rest/bug/${id}`, { groups: { remove: ['secret-team'] } });
    expect(refused.body.code).toBe(120);
  });

  it.each(doors)('%s refuses the removal of others from CC without the right', async (_, others) => {
    const body = { ...(await others()), cc: { remove: ['user@example.com'] } };
    const path = `/rest/bug/${await create()}`;
    const refused = await bugless.call('PUT', path, { key: keys.get('noedit'), body });
    expect([refused.status, refused.body.code]).toEqual([400, 32000]);
    const own = { ...(await others()), cc: { remove: ['noedit@example.com'] } };
    expect((await bugless.call('PUT', path, { key: keys.get('noedit'), body: own })).status).toBe(200);
    expect((await send('PUT', path, body)).status).toBe(200);
  });
});

describe('an integer that a number does not hold', () => {
  const LONG = '12345678901234567890';
  const withLong = (body: object) => JSON.stringify(body).replaceAll(`"${LONG}"`, LONG);

  it('keeps its digits as a text of a bug', async () => {
    const made = await send('POST', '/rest/bug', withLong({ ...NEW, summary: LONG }));
    const { id } = made.body;
    expect((await bugOf(id)).summary).toBe(LONG);
    const two = await create();
    for (const ids of [[], [two]]) {
      await send('PUT', `/rest/bug/${id}`, withLong({ ids, whiteboard: LONG, url: `-${LONG} "${LONG}"` }));
    }
    for (const one of [id, two]) {
      expect(await bugOf(one)).toMatchObject({ whiteboard: LONG, url: `-${LONG} "${LONG}"` });
    }
  });

  it('is as it was in a comment and in the name of a product', async () => {
    const { body } = await send('POST', `/rest/bug/${await create()}/comment`, `{"comment": ${LONG}}`);
    const { comments } = await get(`/rest/bug/comment/${body.id}`);
    expect(comments[body.id].text).toBe(LONG);
    const product = { name: LONG, description: `"${LONG}.`, version: '1' };
    expect((await send('POST', '/rest/product', withLong(product))).status).toBe(201);
    const { products } = await get(`/rest/product?names=${LONG}`);
    expect(products[0]).toMatchObject({ name: LONG, description: `"${LONG}.` });
  });

  it.each([
    ['decimal numbers', '1.12345678901234567890', 1.12],
    ['exponents', '1e0', 1],
    ['minus signs', '-12345678901234567890', undefined],
  ])('is not taken for one with %s', async (_, hours, shown) => {
    const id = await create();
    const { status } = await send('PUT', `/rest/bug/${id}`, `{"estimated_time": ${hours}}`);
    expect([status, (await bugOf(id)).estimated_time]).toEqual(shown === undefined ? [400, 0] : [200, shown]);
  });
});
