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

describe('a catalogue that contradicts the table, or has its ids, names or bugs for others', () => {
  const login = 'known@example.com';
  const known = { ...bug, product: 'Known', component: 'Lens' };
  const [description] = bug.comments;
  const start = parseCatalogue({
    groups: [{ id: 7, name: 'Security' }],
    users: [{ id: 3, login, api_keys: [{ key: 'TheKey' }] }],
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
  });
  const ofKnown = (parts: object) => ({ products: [{ name: 'Known', ...parts }] });

  it.each<[string, object]>([
    ["$.users[0].groups[0]: there is no group 'x'", { users: [{ login: 'new@example.com', groups: ['x'] }] }],
    [
      "$.products[0].group_controls[0].group: there is no group 'x'",
      { products: [{ ...product, group_controls: [{ group: 'x' }] }] },
    ],
    ["$.bugs[0].groups[0]: there is no group 'x'", { bugs: [{ ...known, groups: ['x'] }] }],
    ["$.bugs[0].component: 'Known' has no component 'X'", { bugs: [{ ...known, component: 'X' }] }],
    ["$.bugs[0].product: there is no product 'X'", { bugs: [{ ...bug, product: 'X' }] }],
    ["$.groups[0].id: the group 7 is 'Security', not 'other'", { groups: [{ id: 7, name: 'other' }] }],
    [
      "$.users[0].id: the user 3 is 'known@example.com', not 'other@example.com'",
      { users: [{ id: 3, login: 'other@example.com' }] },
    ],
    [
      "$.users[0].api_keys[0]: the API key belongs to 'known@example.com'",
      { users: [{ login: 'other@example.com', api_keys: [{ key: 'TheKey' }] }] },
    ],
    ["$.products[0].id: the product 5 is 'Known', not 'New'", { products: [{ id: 5, name: 'New' }] }],
    ['$.bugs[0].aliases[0]: bug 1 has this alias', { bugs: [{ ...known, id: 99, aliases: ['taken'] }] }],
    ["$.users[0].id: the user 'known@example.com' has the id 3, not 9", { users: [{ id: 9, login }] }],
    ["$.users[0].login: the user exists as 'known@example.com'", { users: [{ login: 'Known@example.com' }] }],
    [
      "$.products[0].components[0].id: the product 'Other' has the component 8",
      ofKnown({ components: [{ id: 8, name: 'New' }] }),
    ],
    [
      "$.products[0].versions[0].id: the product 'Other' has the version 8",
      { products: [{ name: 'New', versions: [{ id: 8, name: '1' }] }] },
    ],
    [
      "$.products[0].milestones[0].id: the product 'Known' has the milestone 1",
      { products: [{ id: 7, name: 'New', milestones: [{ id: 1, name: 'M' }] }] },
    ],
    [
      "$.products[0].components[0].id: the component 2 is 'Mirror', not 'New'",
      ofKnown({ components: [{ id: 2, name: 'New' }] }),
    ],
    [
      "$.products[0].components[0].id: 'Lens' has the id 1, not 7",
      ofKnown({ components: [{ id: 7, name: 'Lens' }] }),
    ],
    [
      "$.products[0].components[0].name: the product has it as 'Lens'",
      ofKnown({ components: [{ name: 'lens' }] }),
    ],
    [
      "$.products[0].milestones[0].name: the product has it as 'Später'",
      ofKnown({ milestones: [{ name: 'Spa\u0308ter' }] }),
    ],
    [
      "$.products[0].flag_types[0].id: the flag type 1 is 'review' for bugs",
      ofKnown({ flag_types: [{ id: 1, name: 'new', target: 'bug' }] }),
    ],
    [
      "$.products[0].flag_types[0].name: the product has it as 'review'",
      ofKnown({ flag_types: [{ name: 'Review', target: 'bug' }] }),
    ],
    [
      '$.products[0].flag_types[0]: the product has several of this name: an id is required',
      ofKnown({ flag_types: [{ name: 'needinfo', target: 'bug' }] }),
    ],
    [
      "$.bugs[0]: bug 1 is another one, reported by 'a@example.com'",
      { bugs: [{ ...known, reporter: login, aliases: ['taken'] }] },
    ],
    [
      '$.bugs[0].comments[0]: bug 1 has another comment 0',
      { bugs: [{ ...known, aliases: ['taken'], comments: [{ ...description, text: 'Else' }] }] },
    ],
    ['$.bugs[0].aliases[1]: bug 2 has this alias', { bugs: [{ ...known, aliases: ['taken', 'other'] }] }],
    [
      '$.bugs[0].comments[0].id: the comment 2 belongs to bug 2',
      { bugs: [{ ...known, id: 3, comments: [{ ...description, id: 2 }] }] },
    ],
  ])('is refused whole: %s', async (problem, wrong) => {
    const table = await newTable(start);
    const before = await allItems(table);
    const catalogue = parseCatalogue({ classifications: [{ name: 'new' }], ...wrong });
    await expect(applyCatalogue(table, catalogue)).rejects.toThrow(problem);
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
