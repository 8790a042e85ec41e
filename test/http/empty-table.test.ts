import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';

const KEY = 'k'.repeat(40);

const bugless = useStarted(() =>
  startBugless(
    parseNumbered({
      groups: [{ name: 'editcomponents' }],
      users: [{ login: 'first@example.org', groups: ['editcomponents'], api_keys: [{ key: KEY }] }],
    }),
  ),
);

describe('a table with a single user', () => {
  it.each([
    ['/rest/product', { products: [] }],
    ['/rest/product_enterable', { ids: [] }],
    ['/rest/product/1', { products: [] }],
    ['/rest/product?type=selectable&include_fields=id', { products: [] }],
  ])('answers %s with nothing', async (path, nothing) => {
    const { status, body } = await bugless.call('GET', path, { key: KEY });
    expect([status, body]).toEqual([200, nothing]);
  });

  it.each([
    ['without a classification', undefined],
    ['in the classification that is always there', ' UNclassified '],
  ])('takes a product %s', async (name, classification) => {
    const product = { name, description: 'd', version: '1', classification };
    const { status, body } = await bugless.call('POST', '/rest/product', { key: KEY, body: product });
    expect(status).toBe(201);
    const [made] = (await bugless.call('GET', `/rest/product/${body.id}`)).body.products;
    expect(made).toMatchObject({
      id: body.id,
      name,
      classification: 'Unclassified',
      default_milestone: '—',
      has_unconfirmed: true,
      is_active: true,
      components: [],
      versions: [{ name: '1', sort_key: 0, is_active: true }],
      milestones: [{ name: '—', sort_key: 0, is_active: true }],
    });
  });

  it('has no bugs and comments', async () => {
    expect((await bugless.call('GET', '/rest/bug/1/comment')).body.code).toBe(101);
    expect((await bugless.call('GET', '/rest/bug/comment/1')).body.code).toBe(111);
  });
});
