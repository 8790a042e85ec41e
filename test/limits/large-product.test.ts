import { beforeAll, describe, expect, it } from 'vitest';
import { repairTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { deleteItem } from '../../lib/table/write.ts';
import { type Bugless, newTable, serve } from '../support/bugless.ts';
import { catalogueOfLines, exported } from '../support/exported.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { allItems } from '../support/table-items.ts';

const COMPONENTS = 5_000;
const KEY = 'TheKeyOfTheUser';
const LOGIN = 'user@example.com';

const catalogue = (description: string) =>
  parseNumbered({
    groups: [{ name: 'editcomponents' }],
    users: [{ login: LOGIN, groups: ['editcomponents'], api_keys: [{ key: KEY }] }],
    products: [
      {
        id: 1,
        name: 'Large',
        description: 'd',
        components: Array.from({ length: COMPONENTS }, (_, n) => ({ id: n + 1, name: `C${n}`, description })),
        versions: [{ name: '1' }],
        milestones: [{ name: 'M1' }, { name: 'M2' }],
        flag_types: [{ name: 'blocker', target: 'bug', components: [`C${COMPONENTS - 1}`] }],
      },
      { id: 2, name: 'Small', description: 'd', components: [{ name: 'C' }], versions: [{ name: '1' }] },
    ],
  });

let bugless: Bugless;
beforeAll(async () => {
  const table = await newTable(catalogue('A component of many'));
  bugless = await serve(table);
});

const get = async (path: string) => (await bugless.call('GET', path, { key: KEY })).body;

describe('a product with 5,000 components', () => {
  it('is returned completely, alone and among others', async () => {
    const { products } = await get('/rest/product/Large');
    expect(products[0].components).toHaveLength(COMPONENTS);
    const all = await get('/rest/product?include_fields=id,components.name,components.flag_types');
    const last = all.products[0].components.find(
      ({ name }: { name: string }) => name === `C${COMPONENTS - 1}`,
    );
    expect(last.flag_types.bug).toHaveLength(1);
    expect(all.products[1].components).toHaveLength(1);
  });

  it('is updated, and accepts bugs in its last component', async () => {
    const update = { default_milestone: 'M2', is_open: true };
    const updated = await bugless.call('PUT', '/rest/product/1', { key: KEY, body: update });
    expect(updated.body.products[0].changes).toHaveProperty('default_milestone');
    const bug = {
      product: 'Large',
      component: `C${COMPONENTS - 1}`,
      version: '1',
      summary: 's',
      op_sys: 'All',
      platform: 'All',
    };
    const { status, body } = await bugless.call('POST', '/rest/bug', { key: KEY, body: bug });
    expect([200, 201]).toContain(status);
    const { bugs } = await get(`/rest/bug/${body.id}?include_fields=component`);
    expect(bugs).toEqual([{ component: `C${COMPONENTS - 1}` }]);
    expect((await get('/rest/product/Large')).products[0].components).toHaveLength(COMPONENTS);
    await expectNoViolations(bugless.table);
  });

  it('is changed by a catalogue, which removes the items of the former revision', async () => {
    const { products } = await applyCatalogue(bugless.table, catalogue('Changed'));
    expect(products).toMatchObject({ changed: 1, unchanged: 1 });
    expect((await applyCatalogue(bugless.table, catalogue('Changed'))).products.unchanged).toBe(2);
    const { components } = (await get('/rest/product/Large')).products[0];
    expect(new Set(components.map(({ description }: { description: string }) => description))).toEqual(
      new Set(['Changed']),
    );
    await expectNoViolations(bugless.table);
  });

  it('has the parts of one of two concurrent catalogues', async () => {
    const versions = ['First', 'Second'].map((description) => catalogue(description));
    await Promise.allSettled(versions.map((one) => applyCatalogue(bugless.table, one)));
    const { components } = (await get('/rest/product/Large')).products[0];
    const descriptions = components.map(({ description }: { description: string }) => description);
    expect([descriptions.length, new Set(descriptions).size]).toEqual([COMPONENTS, 1]);
    await expectNoViolations(bugless.table);
  });

  it('is exported and applied to another table', async () => {
    const json = await exported(bugless.table);
    const copy = await newTable(parseCatalogue(catalogueOfLines(json)));
    const { call } = await serve(copy);
    const { body } = await call('GET', '/rest/product/Large', { key: KEY });
    expect(body).toEqual(await get('/rest/product/Large'));
  });

  it('is an error, not half a product, when an item with parts is lost', async () => {
    const table = await newTable(catalogue('Lost'));
    const { call } = await serve(table, SILENT);
    const lost = (await allItems(table)).find(({ sk }) => String(sk).startsWith('PARTS#'));
    await deleteItem(table, { pk: String(lost?.['pk']), sk: String(lost?.['sk']) });
    expect((await call('GET', '/rest/product/Large', { key: KEY })).status).toBe(500);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContainEqual('PRODUCT#1 PRODUCT: an item with parts is missing');
  });
});
