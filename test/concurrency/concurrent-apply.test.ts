import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import type { Item } from '../../lib/table/read.ts';
import { deleteItem } from '../../lib/table/write.ts';
import { type GatewayReply, useStarted } from '../support/bugless.ts';
import { startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const bugless = useStarted(startFaultyBugless);

/** Runs concurrent writes before the first call that reads a key with a prefix. */
function beforeReading(prefix: string, others: () => Promise<GatewayReply>): { done: Promise<GatewayReply> } {
  const { promise, resolve, reject } = Promise.withResolvers<GatewayReply>();
  let isOver = false;
  bugless.from(({ operation, body }) => {
    const isMeant = /^(Query|GetItem|BatchGetItem)$/.test(operation) && JSON.stringify(body).includes(prefix);
    if (isOver || !isMeant) return 'pass';
    isOver = true;
    others().then(resolve, reject);
    return { after: promise };
  });
  return { done: promise };
}

async function newProduct(name: string): Promise<number> {
  const body = { name, description: 'd', version: '1' };
  return (await bugless.healthy.call('POST', '/rest/product', { key: keys.admin, body })).body.id;
}

const rename = (id: number, name: string) =>
  bugless.healthy.call('PUT', `/rest/product/${id}`, { key: keys.admin, body: { name } });

const newBug = () =>
  bugless.healthy.call('POST', '/rest/bug', {
    key: keys.admin,
    body: { product: 'Alpha', component: 'Core', version: '1.0', summary: 's', description: 'it breaks' },
  });

describe('a product that is renamed while it is looked up by its old name', () => {
  it('is not returned for the old name', async () => {
    const id = await newProduct('Morning star');
    const { done } = beforeReading(`"PRODUCT#${id}"`, () => rename(id, 'Evening star'));
    const { status, body } = await bugless.faulty.call('GET', '/rest/product/morning%20star');
    expect([(await done).status, status, body]).toEqual([200, 200, { products: [] }]);
  });

  it('is returned for its id and for the new name', async () => {
    const id = await newProduct('Venus');
    const { done } = beforeReading(`"PRODUCT#${id}"`, () => rename(id, 'Hesperus'));
    const path = `/rest/product?names=Venus&ids=${id}&include_fields=name,description`;
    const { body } = await bugless.faulty.call('GET', path);
    expect([(await done).status, body]).toEqual([
      200,
      { products: [{ name: 'Hesperus', description: 'd' }] },
    ]);
  });

  it('is not returned from the product index either', async () => {
    const id = await newProduct('Mercury');
    const { done } = beforeReading('"PRODUCTINDEX"', () => rename(id, 'Hermes'));
    const { body } = await bugless.faulty.call('GET', '/rest/product?names=Mercury&include_fields=id,name');
    expect([(await done).status, body]).toEqual([200, { products: [] }]);
  });

  it('is not updated by its old name', async () => {
    const id = await newProduct('Pluto');
    const { done } = beforeReading(`"PRODUCT#${id}"`, () => rename(id, '134340'));
    const options = { key: keys.admin, body: { name: 'Planet' } };
    const { status, body } = await bugless.faulty.call('PUT', '/rest/product/Pluto', options);
    expect([(await done).status, status, body.code]).toEqual([200, 401, 106]);
    const after = await bugless.healthy.call('GET', `/rest/product/${id}?include_fields=name`);
    expect(after.body.products).toEqual([{ name: '134340' }]);
  });
});

describe('a bug that is created while its comments are read', () => {
  it.each(['', '?new_since=2024-01-02'])('has its description%s', async (query) => {
    const id = (await newBug()).body.id + 1;
    const { done } = beforeReading(`"BUG#${id}"},"sk":{"S":"BUG"}`, newBug);
    const { status, body } = await bugless.faulty.call('GET', `/rest/bug/${id}/comment${query}`);
    expect([(await done).body.id, status]).toEqual([id, 200]);
    expect(body.bugs[id].comments).toMatchObject([{ bug_id: id, count: 0, text: 'it breaks' }]);
  });

  it('has no comments newer than itself', async () => {
    const id = (await newBug()).body.id + 1;
    const { done } = beforeReading(`"BUG#${id}"},"sk":{"S":"BUG"}`, newBug);
    const { body } = await bugless.faulty.call('GET', `/rest/bug/${id}/comment?new_since=2099-01-01`);
    expect([(await done).body.id, body.bugs[id]]).toEqual([id, { comments: [] }]);
  });
});

describe('a bug that is applied while its comments are read', () => {
  const ofCatalogue = (comments: number): Catalogue =>
    parseNumbered({
      bugs: [
        aBug(700, {
          version: '1.0',
          comments: times(comments, (number) =>
            aComment(`comment ${number}`, {
              id: 70_000 + number,
              creation_time: `2024-01-0${number + 1}T00:00:00Z`,
            }),
          ),
        }),
      ],
    });

  /** The items of a run that ends before it writes the bug. */
  async function leave(counts: number[]): Promise<void> {
    const { table } = bugless.healthy;
    await applyCatalogue(table, ofCatalogue(5));
    const items = await allItems(table);
    const isOther = ({ pk, sk, bug_id, count }: Item) =>
      (pk === 'BUG#700' && sk === 'BUG') || (bug_id === 700 && !counts.includes(Number(count)));
    for (const { pk, sk } of items.filter(isOther)) await deleteItem(table, { pk, sk });
  }

  it.each([
    { left: [], query: '', expected: [0, 1, 2, 3, 4] },
    { left: [0], query: '', expected: [0, 1, 2, 3, 4] },
    { left: [0, 1, 2], query: '', expected: [0, 1, 2, 3, 4] },
    { left: [0, 3], query: '', expected: [0, 1, 2, 3, 4] },
    { left: [2, 4], query: '', expected: [0, 1, 2, 3, 4] },
    { left: [0, 1, 2, 3], query: '?new_since=2024-01-02', expected: [2, 3, 4] },
    { left: [0, 1], query: '?new_since=2024-01-02', expected: [2, 3, 4] },
    { left: [0, 1, 2, 4], query: '?new_since=2024-01-02', expected: [2, 3, 4] },
  ])('has all of them$query, when $left were there before', async ({ left, query, expected }) => {
    await leave(left);
    const applied = async (): Promise<GatewayReply> => {
      await applyCatalogue(bugless.healthy.table, ofCatalogue(5));
      return bugless.healthy.call('GET', '/rest/bug/700/comment');
    };
    const { done } = beforeReading('"BUG#700"},"sk":{"S":"BUG"}', applied);
    const { body } = await bugless.faulty.call('GET', `/rest/bug/700/comment${query}`);
    const found = body.bugs[700].comments.map(({ count }: { count: number }) => count);
    expect([(await done).status, found]).toEqual([200, expected]);
  });
});

it.each([
  { what: 'all comments', query: '' },
  { what: 'some new ones', query: '?new_since=2024-01-02' },
  { what: 'none that are new', query: '?new_since=2099-01-01' },
])('reading $what of a bug takes one query', async ({ query }) => {
  bugless.from(() => 'pass');
  const before = bugless.proxy.calls.length;
  expect((await bugless.faulty.call('GET', `/rest/bug/1/comment${query}`)).status).toBe(200);
  const queries = bugless.proxy.calls.slice(before).filter(({ operation }) => operation === 'Query');
  expect(queries).toHaveLength(1);
});
