import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

const valid = { name: 'Named', description: 'd', version: '1' };
const create = (body: object) =>
  bugless.call('POST', '/rest/product', { key: keys.admin, body: { ...valid, ...body } });

const ZERO_WIDTH_SPACE = '\u200b';
const RIGHT_TO_LEFT_OVERRIDE = '\u202e';

describe('creating a product', () => {
  it.each([
    ['a control character in the name', { name: 'a\u0007b' }, 700],
    ['a zero-width space in the name', { name: `a${ZERO_WIDTH_SPACE}b` }, 700],
    ['a bidirectional control in the name', { name: `a${RIGHT_TO_LEFT_OVERRIDE}b` }, 700],
    ['a name of invisible characters', { name: ZERO_WIDTH_SPACE }, 700],
    ['a byte order mark, which is no white space, in the name', { name: '\ufeffName' }, 700],
    ['a name of U+0085, which is white space', { name: '\u0085' }, 700],
    ['a description of U+0085', { description: '\u0085' }, 703],
    ['a version of U+0085', { version: '\u0085' }, 704],
    ['a classification of U+0085', { classification: '\u0085' }, 50],
    ['a control character in the version', { version: '1\u001b' }, 53],
    ['a control character in the milestone', { default_milestone: 'M\u0000' }, 53],
  ])('with %s is refused', async (_, body, code) => {
    const { status, body: error } = await create(body);
    expect([status, error.code]).toEqual([400, code]);
  });

  it('with emoji in the name succeeds', async () => {
    expect((await create({ name: 'Love ❤️' })).status).toBe(201);
  });
});

it.each(['01', '00', '001'])('a number that is not a plain id selects no product: %s', async (id) => {
  const read = await bugless.call('GET', `/rest/product/${id}`, { key: keys.admin });
  expect(read.body).toEqual({ products: [] });
  const update = await bugless.call('PUT', `/rest/product/${id}`, {
    key: keys.admin,
    body: { is_open: false },
  });
  expect([update.status, update.body.code]).toEqual([401, 106]);
});

it.each(['components._all', 'components._default'])('include_fields ignores %s', async (name) => {
  const { body } = await bugless.call('GET', `/rest/product/Alpha?include_fields=${name}`, {
    key: keys.admin,
  });
  for (const component of body.products[0].components) expect(component).toEqual({});
});

describe('the template of descriptions', () => {
  const put = (description_template: unknown) =>
    bugless.call('PUT', '/rest/product/Alpha', { key: keys.admin, body: { description_template } });
  const read = async (query = '') =>
    (await bugless.call('GET', `/rest/product/Alpha${query}`, { key: keys.admin })).body.products[0];

  it('is set by POST and PUT, shown where there is one, and taken away', async () => {
    await create({ name: 'With template', description_template: 'Steps:\r\n\r\nExpected:\n \n' });
    const { body } = await bugless.call('GET', '/rest/product/with template', { key: keys.admin });
    expect(body.products[0].description_template).toBe('Steps:\n\nExpected:');
    expect(await read()).not.toHaveProperty('description_template');
    const { body: changed } = await put('Steps:');
    expect(changed.products[0].changes).toEqual({ description_template: { removed: '', added: 'Steps:' } });
    expect(await read('?include_fields=description_template')).toEqual({ description_template: 'Steps:' });
    await bugless.call('PUT', '/rest/product/Alpha', { key: keys.admin, body: { is_open: true } });
    expect((await read()).description_template).toBe('Steps:');
    const { products } = await exportedCatalogue(bugless.table);
    const alpha = products.find(({ name }: { name: string }) => name === 'Alpha');
    expect(alpha.description_template).toBe('Steps:');
    const apply = (description_template: string) =>
      applyCatalogue(bugless.table, parseCatalogue({ products: [{ name: 'Alpha', description_template }] }));
    await apply('From a file');
    await applyCatalogue(
      bugless.table,
      parseCatalogue({ products: [{ name: 'Alpha', description: 'Other' }] }),
    );
    expect((await read()).description_template).toBe('From a file');
    await apply('');
    expect(await read()).not.toHaveProperty('description_template');
    await apply('Again');
    expect((await put(null)).status).toBe(200);
    expect(await read()).not.toHaveProperty('description_template');
    await expectNoViolations(bugless.table);
  });

  it('has at most 20,000 bytes', async () => {
    const long = 'ä'.repeat(10_001);
    for (const reply of [await put(long), await create({ name: 'Too long', description_template: long })])
      expect([reply.status, reply.body.code]).toEqual([400, 53]);
    expect(() => parseCatalogue({ products: [{ name: 'A', description_template: long }] })).toThrow();
  });
});
