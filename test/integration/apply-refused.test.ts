import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { newTable } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';

const bug = {
  product: 'P',
  component: 'C',
  summary: 's',
  reporter: 'a@example.com',
  comments: [{ text: 't', creator: 'a@example.com', creation_time: '2024-01-01' }],
};
const product = { name: 'P', components: [{ name: 'C' }], versions: [{ name: '1' }] };

describe('a catalogue that contradicts the table', () => {
  it.each([
    [
      'an unknown group of a user',
      { users: [{ login: 'u@example.com', groups: ['x'] }] },
      '$.users[0].groups[0]: ',
    ],
    [
      'an unknown group of a product',
      { products: [{ ...product, group_controls: [{ group: 'x' }] }] },
      '$.products[0].group_controls[0].group: ',
    ],
    [
      'an unknown group of a bug',
      { products: [product], bugs: [{ ...bug, groups: ['x'] }] },
      '$.bugs[0].groups[0]: ',
    ],
    [
      'an unknown component',
      { products: [product], bugs: [{ ...bug, component: 'X' }] },
      '$.bugs[0].component: ',
    ],
    ['an unknown product', { bugs: [{ ...bug, product: 'X' }] }, '$.bugs[0].product: '],
    ['the id of another group', { groups: [{ id: 7, name: 'other' }] }, '$.groups[0].id: '],
    ['the id of another user', { users: [{ id: 3, login: 'other@example.com' }] }, '$.users[0].id: '],
    [
      "another user's API key",
      { users: [{ login: 'other@example.com', api_keys: [{ key: 'TheKey' }] }] },
      '$.users[0].api_keys[0]: ',
    ],
    ['the id of another product', { products: [{ ...product, id: 5, name: 'Other' }] }, '$.products[0].id: '],
    [
      'an alias of another bug',
      { bugs: [{ ...bug, id: 99, product: 'Known', aliases: ['taken'] }] },
      '$.bugs[0].aliases[0]: ',
    ],
  ])('is refused whole, by the JSON path of the place: %s', async (_, wrong, path) => {
    const table = await newTable();
    await applyCatalogue(
      table,
      parseCatalogue({
        groups: [{ id: 7, name: 'Security' }],
        users: [{ id: 3, login: 'known@example.com', api_keys: [{ key: 'TheKey' }] }],
        products: [{ ...product, id: 5, name: 'Known' }],
        bugs: [{ ...bug, id: 1, product: 'Known', aliases: ['taken'] }],
      }),
    );
    const before = await allItems(table);
    const catalogue = parseCatalogue({
      ...wrong,
      users: [
        ...('users' in wrong ? wrong.users : []),
        { login: 'new@example.com', api_keys: [{ key: 'New' }] },
      ],
    });
    await expect(applyCatalogue(table, catalogue)).rejects.toThrow(path);
    expect(await allItems(table)).toEqual(before);
  });
});

describe('a catalogue with an item over 400 KB', () => {
  it('is refused with the JSON path of the item', () => {
    const description = 'x'.repeat(400_000);
    const given = { products: [{ ...product, description }], groups: [{ name: 'g', description }] };
    expect(() => parseCatalogue(given)).toThrow('$.products[0]: must be smaller than');
    expect(() => parseCatalogue(given)).toThrow('$.groups[0]: must be smaller than');
  });
});

describe('an existing group', () => {
  it('keeps its id and spelling', async () => {
    const table = await newTable();
    await applyCatalogue(table, parseCatalogue({ groups: [{ id: 7, name: 'security' }] }));
    const renamed = parseCatalogue({ groups: [{ id: 18, name: 'Security', description: 'Changed' }] });
    await applyCatalogue(table, renamed);
    const groups = (await allItems(table)).filter(({ sk }) => sk === 'GROUP' || sk === 'GROUPID');
    expect(groups).toEqual([
      { pk: 'GROUP#security', sk: 'GROUP', id: 7, name: 'security', description: 'Changed' },
      { pk: 'GROUPID#7', sk: 'GROUPID', name: 'security' },
    ]);
  });
});
