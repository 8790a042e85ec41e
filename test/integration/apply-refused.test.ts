import { createHash } from 'node:crypto';
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

describe('a catalogue that has the ids, names or bugs of the table for others', () => {
  const login = 'known@example.com';
  const known = { ...bug, product: 'Known', component: 'Lens' };
  const [description] = bug.comments;
  const start = {
    users: [{ id: 3, login }],
    products: [
      {
        id: 5,
        name: 'Known',
        components: [
          { id: 1, name: 'Lens' },
          { id: 2, name: 'Mirror' },
        ],
        versions: [{ id: 1, name: '1' }],
        milestones: [{ id: 1, name: 'Später' }],
        flag_types: [
          { id: 1, name: 'review', target: 'bug' },
          { id: 2, name: 'needinfo', target: 'bug' },
          { id: 3, name: 'needinfo', target: 'bug' },
        ],
      },
      {
        id: 6,
        name: 'Other',
        components: [{ id: 8, name: 'C' }],
        versions: [{ id: 8, name: '1' }],
        milestones: [{ id: 8, name: 'M' }],
      },
    ],
    bugs: [
      { ...known, id: 1, aliases: ['taken', 'second'], comments: [{ ...description, id: 1 }] },
      { ...known, id: 2, aliases: ['other'], comments: [{ ...description, id: 2 }] },
    ],
  };
  const ofKnown = (parts: object) => ({ products: [{ name: 'Known', ...parts }] });

  it.each<[string, object, string]>([
    ['another id of a user', { users: [{ id: 9, login }] }, '$.users[0].id: '],
    ['another spelling of a user', { users: [{ login: 'Known@example.com' }] }, '$.users[0].login: '],
    [
      'a component of another product',
      ofKnown({ components: [{ id: 8, name: 'New' }] }),
      '$.products[0].components[0].id: ',
    ],
    [
      'a version of another product',
      { products: [{ name: 'New', versions: [{ id: 8, name: '1' }] }] },
      '$.products[0].versions[0].id: ',
    ],
    [
      'a milestone of another product',
      { products: [{ id: 7, name: 'New', milestones: [{ id: 1, name: 'M' }] }] },
      '$.products[0].milestones[0].id: ',
    ],
    [
      'another component of the product',
      ofKnown({ components: [{ id: 2, name: 'New' }] }),
      '$.products[0].components[0].id: ',
    ],
    [
      'another id of a component',
      ofKnown({ components: [{ id: 7, name: 'Lens' }] }),
      '$.products[0].components[0].id: ',
    ],
    [
      'another case of a component',
      ofKnown({ components: [{ name: 'lens' }] }),
      '$.products[0].components[0].name: ',
    ],
    [
      'another normal form of a milestone',
      ofKnown({ milestones: [{ name: 'Spa\u0308ter' }] }),
      '$.products[0].milestones[0].name: ',
    ],
    [
      'another flag type of the product',
      ofKnown({ flag_types: [{ id: 1, name: 'new', target: 'bug' }] }),
      '$.products[0].flag_types[0].id: ',
    ],
    [
      'another case of a flag type',
      ofKnown({ flag_types: [{ name: 'Review', target: 'bug' }] }),
      '$.products[0].flag_types[0].name: ',
    ],
    [
      'one of two flag types',
      ofKnown({ flag_types: [{ name: 'needinfo', target: 'bug' }] }),
      '$.products[0].flag_types[0]: ',
    ],
    [
      'the alias of a bug with another reporter',
      { bugs: [{ ...known, reporter: login, aliases: ['taken'] }] },
      '$.bugs[0]: bug 1 is another one',
    ],
    [
      'the alias of a bug with another description',
      { bugs: [{ ...known, aliases: ['taken'], comments: [{ ...description, text: 'Else' }] }] },
      '$.bugs[0].comments[0]: bug 1 has another comment 0',
    ],
    [
      'the aliases of two bugs',
      { bugs: [{ ...known, aliases: ['taken', 'other'] }] },
      '$.bugs[0].aliases[1]: ',
    ],
    [
      'a comment of another bug',
      { bugs: [{ ...known, id: 3, comments: [{ ...description, id: 2 }] }] },
      '$.bugs[0].comments[0].id: ',
    ],
  ])('is refused whole, by the JSON path of the place: %s', async (_, wrong, path) => {
    const table = await newTable(parseCatalogue(start));
    const before = await allItems(table);
    const catalogue = parseCatalogue({ groups: [{ name: 'new' }], ...wrong });
    await expect(applyCatalogue(table, catalogue)).rejects.toThrow(path);
    expect(await allItems(table)).toEqual(before);
  });

  it('is refused when two users have the same key, by itself and by its hash', () => {
    const key_sha256 = createHash('sha256').update('TheKey').digest('hex');
    const users = [
      { login, api_keys: [{ key: 'TheKey' }] },
      { login: 'other@example.com', api_keys: [{ key_sha256 }] },
    ];
    expect(() => parseCatalogue({ users })).toThrow('$.users[1].api_keys[0]: appears twice in the file');
  });

  it.each([
    [
      'two flag types',
      { products: [{ name: 'P', flag_types: Array(2).fill({ name: 'f', target: 'bug' }) }] },
    ],
    ['two bugs without ids', { bugs: [bug, bug] }],
  ])('is refused when %s are the same', (_, catalogue) => {
    expect(() => parseCatalogue(catalogue)).toThrow('[1]: appears twice in the file');
  });
});

describe('a catalogue with an item over 400 KB', () => {
  it('is refused with the JSON path of the item', () => {
    const description = 'x'.repeat(410_000);
    const given = { products: [{ ...product, description }], groups: [{ name: 'g', description }] };
    expect(() => parseCatalogue(given)).toThrow('$.products[0]: must be smaller than');
    expect(() => parseCatalogue(given)).toThrow('$.groups[0]: must be smaller than');
  });
});

describe('an existing group', () => {
  it('keeps its id and spelling', async () => {
    const table = await newTable(parseCatalogue({ groups: [{ id: 7, name: 'security' }] }));
    const renamed = parseCatalogue({ groups: [{ id: 18, name: 'Security', description: 'Changed' }] });
    await applyCatalogue(table, renamed);
    const groups = (await allItems(table)).filter(({ sk }) => sk === 'GROUP' || sk === 'GROUPID');
    expect(groups).toEqual([
      { pk: 'GROUP#security', sk: 'GROUP', id: 7, name: 'security', description: 'Changed' },
      { pk: 'GROUPID#7', sk: 'GROUPID', name: 'security' },
    ]);
  });
});
