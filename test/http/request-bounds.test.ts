import { beforeAll, expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { keys } from '../support/keys.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

let bugless: Bugless;
let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await useFaultProxy();
  bugless = await startBugless(undefined, { DYNAMODB_ENDPOINT: proxy.endpoint });
});

const RESOURCES: [path: string, bugs: number][] = [
  ['/rest/bug/1/attachment', 100],
  ['/rest/bug/1/comment', 500],
  ['/rest/bug/1/history', 100],
];

it.each(RESOURCES)('%s reads a bug once, however often it is named', async (path) => {
  const callsFor = async (ids: readonly string[]) => {
    const before = proxy.calls.length;
    const { status, body } = await bugless.call('GET', `${path}?${ids.map((id) => `ids=${id}`).join('&')}`);
    expect(status).toBe(200);
    return { calls: proxy.calls.length - before, body };
  };
  const [once, often] = [await callsFor(['1']), await callsFor(times(700, () => '1'))];
  expect(often).toEqual(once);
  // Under its alias it is looked up by name first.
  const byName = await callsFor(['alpha-bug', 'ALPHA-BUG', '1']);
  expect([byName.body, byName.calls <= once.calls + 2]).toEqual([once.body, true]);
});

it.each([
  ['ids', '2'],
  ['names', 'user@example.com'],
])('/rest/user reads a user once, however often %s name it', async (parameter, value) => {
  const callsFor = async (count: number) => {
    const before = proxy.calls.length;
    const query = times(count, () => `${parameter}=${value}`).join('&');
    const { status, body } = await bugless.call('GET', `/rest/user?${query}`, { key: keys.plain });
    expect([status, body.users]).toEqual([200, [expect.objectContaining({ id: 2 })]]);
    return proxy.calls.length - before;
  };
  expect(await callsFor(300)).toBe(await callsFor(1));
});

it('a bug is read whole, repeated, as long as all of them take at most 20 MB', async () => {
  const bugs = [aBug(1, { whiteboard: 'x'.repeat(100_000) })];
  const { call } = await startBugless(parseCatalogue({ products: [aProduct()], bugs }));
  const read = (count: number) => call('GET', `/rest/bug/1?${times(count, () => 'ids=1').join('&')}`);
  expect((await read(20)).body.bugs).toHaveLength(21);
  expect(await read(250)).toMatchObject({ status: 400, body: { code: 32000 } });
});

it.each(RESOURCES)('%s is refused for more than %i bugs, before any is read', async (path, max) => {
  const before = proxy.calls.filter(({ operation }) => operation === 'BatchGetItem').length;
  const query = times(max, (at) => `ids=${at + 2}`).join('&');
  const { status, body } = await bugless.call('GET', `${path}?${query}`);
  expect([status, body.code, body.message]).toEqual([400, 32000, expect.stringContaining(`${max} bugs`)]);
  expect(proxy.calls.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(before);
});

it('a list of values is read in proportion to its length, however many values are legal', async () => {
  const key = 'k'.repeat(40);
  const values = times(500, (at) => ({ name: `v${at}` }));
  const catalogue = parseCompleteCatalogue({
    users: [{ login: REPORTER, api_keys: [{ key }] }],
    products: [aProduct()],
    bug_fields: [{ name: 'cf_many', display_name: 'Many', type: 3, values }],
  });
  const { call } = await startBugless(catalogue);
  // A look-up among all values for each would take longer than a request may.
  const cf_many = 'v499,'.repeat(500_000);
  const body = { product: 'Alpha', component: 'Core', version: '1', summary: 'New', cf_many };
  const { body: created } = await call('POST', '/rest/bug', { key, body });
  const { body: read } = await call('GET', `/rest/bug/${created.id}`);
  expect(read.bugs[0].cf_many).toEqual(['v499']);
});
