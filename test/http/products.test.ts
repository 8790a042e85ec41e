import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
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

describe('a number that is not a plain id', () => {
  it.each(['01', '00', '001'])('selects no product: %s', async (id) => {
    const read = await bugless.call('GET', `/rest/product/${id}`, { key: keys.admin });
    expect(read.body).toEqual({ products: [] });
    const update = await bugless.call('PUT', `/rest/product/${id}`, {
      key: keys.admin,
      body: { is_open: false },
    });
    expect([update.status, update.body.code]).toEqual([401, 106]);
  });
});

describe('include_fields', () => {
  it.each(['components._all', 'components._default'])('ignores %s', async (name) => {
    const { body } = await bugless.call('GET', `/rest/product/Alpha?include_fields=${name}`, {
      key: keys.admin,
    });
    for (const component of body.products[0].components) expect(component).toEqual({});
  });
});
