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

it.each(['blocks', 'depends_on'])('0 is no bug in %s', async (field) => {
  const other = await create();
  const given = [0, other, '0'];
  const [made, changed] = [await create({ [field]: given }), await create()];
  expect((await send('PUT', `/rest/bug/${changed}`, { [field]: { add: given } })).status).toBe(200);
  for (const id of [made, changed]) expect((await bugOf(id))[field]).toEqual([other]);
});

it('an empty text is no flags', async () => {
  expect((await send('PUT', `/rest/bug/${await create()}`, { flags: '' })).status).toBe(200);
  expect(await create({ flags: '' })).toEqual(expect.any(Number));
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

it('a group that is added and removed changes nothing', async () => {
  const groups = { add: ['secret-team'], remove: ['secret-team'] };
  const path = `/rest/bug/${await create({ product: 'Guarded', component: 'Main' })}`;
  const { status, body } = await send('PUT', path, { groups });
  expect([status, body.bugs?.[0].changes]).toEqual([200, {}]);
  const refused = await send('PUT', path, { groups: { remove: ['secret-team'] } });
  expect(refused.body.code).toBe(120);
});

it('the removal of others from CC takes the right, whether or not they are there', async () => {
  const path = `/rest/bug/${await create()}`;
  const [others, own] = ['user', 'noedit'].map((one) => ({ cc: { remove: [`${one}@example.com`] } }));
  const key = keys.get('noedit');
  const refused = await bugless.call('PUT', path, { key, body: others });
  expect([refused.status, refused.body.code]).toEqual([400, 32000]);
  expect((await bugless.call('PUT', path, { key, body: own })).status).toBe(200);
  expect((await send('PUT', path, others ?? {})).status).toBe(200);
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
