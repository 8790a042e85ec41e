import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import type { Item } from '../../lib/table/read.ts';
import { newTable } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aFile } from '../support/small-catalogue.ts';
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
  const file = aFile(4, { data: 'YWJj' });
  const ofSecond = (attachment: object) => ({
    bugs: [{ ...known, id: 2, comments: [{ ...description, id: 2 }], attachments: [attachment] }],
  });
  const start = parseNumbered({
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
    bug_fields: [
      { id: 60, name: 'cf_text', display_name: 'Text', type: 1 },
      { id: 61, name: 'cf_day', display_name: 'Day', type: 9 },
    ],
    bugs: [
      { ...known, id: 1, aliases: ['taken', 'second'], comments: [{ ...description, id: 1 }] },
      { ...known, id: 2, aliases: ['other'], comments: [{ ...description, id: 2 }], attachments: [file] },
    ],
  });
  const ofKnown = (parts: object) => ({ products: [{ name: 'Known', ...parts }] });

  let table: Table;
  let before: Item[];
  beforeAll(async () => {
    table = await newTable(start);
    before = await allItems(table);
  });

  it.each<[string, object]>([
    ["$.users[0].groups[0]: there is no group 'x'", { users: [{ login: 'new@example.com', groups: ['x'] }] }],
    [
      "$.products[0].group_controls[0].group: there is no group 'x'",
      { products: [{ ...product, group_controls: [{ group: 'x' }] }] },
    ],
    [
      '$.bugs[0].comments[0].text: the comment 1 has another text',
      { bugs: [{ ...known, id: 1, comments: [{ ...description, id: 1, text: 'other' }] }] },
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
      { bugs: [{ ...known, id: 1, reporter: login, aliases: ['taken'] }] },
    ],
    [
      '$.bugs[0].comments[0]: bug 1 has another comment 0',
      { bugs: [{ ...known, id: 1, aliases: ['taken'], comments: [{ ...description, id: 9 }] }] },
    ],
    [
      '$.bugs[0].aliases[1]: bug 2 has this alias',
      { bugs: [{ ...known, id: 1, aliases: ['taken', 'other'] }] },
    ],
    [
      '$.bugs[0].comments[0].id: the comment 2 belongs to bug 2',
      { bugs: [{ ...known, id: 3, comments: [{ ...description, id: 2 }] }] },
    ],
    [
      '$.bugs[0].attachments[0].data: the attachment 4 has other data',
      ofSecond({ ...file, data: Buffer.from('xyz').toString('base64') }),
    ],
    [
      '$.bugs[0].attachments[0].data: the attachment 4 has other data',
      ofSecond({ ...file, data: 'YWJjZA==' }),
    ],
    ['$.bugs[0].cf_no: there is no such custom field', { bugs: [{ ...known, cf_no: 'x' }] }],
    [
      "$.bug_fields[0].type: the field 'cf_text' has the type 1, not 10",
      { bug_fields: [{ name: 'cf_text', display_name: 'Number', type: 10 }] },
    ],
    [
      "$.bug_fields[0].id: the field 'cf_text' has the id 60",
      { bug_fields: [{ id: 60, name: 'cf_other', display_name: 'Other', type: 1 }] },
    ],
    [
      "$.bug_fields[0].id: the field 'cf_day' has the id 61",
      { bug_fields: [{ id: 70, name: 'cf_day', display_name: 'Day', type: 9 }] },
    ],
  ])('is refused whole: %s', async (problem, wrong) => {
    const catalogue = parseNumbered({ classifications: [{ name: 'new' }], ...wrong });
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
    [
      'two controls of a group',
      {
        groups: [{ name: 'a' }],
        products: [{ ...product, group_controls: [{ group: 'a' }, { group: 'A' }] }],
      },
    ],
    ['two legal values', { field_values: { priority: ['High', 'HIGH'] } }],
    ['two custom fields', { bug_fields: Array(2).fill({ name: 'cf_a', display_name: 'A', type: 1 }) }],
    [
      'two values of a custom field',
      {
        bug_fields: [{ name: 'cf_a', display_name: 'A', type: 2, values: [{ name: 'a' }, { name: 'A' }] }],
      },
    ],
  ])('is refused when %s are the same', (_, catalogue) => {
    expect(() => parseNumbered(catalogue)).toThrow('[1]: appears twice in the file');
  });
});

it.each(['a b', 'a,b'])("a flag type of a catalogue is not named '%s'", (name) => {
  const products = [{ ...product, flag_types: [{ name, target: 'bug' }] }];
  expect(() => parseCatalogue({ products })).toThrow('$.products[0].flag_types[0].name: must not have');
});

describe('a bug of a catalogue', () => {
  const time = '2024-01-01T00:00:00Z';
  const flagged = (id: number) => ({
    ...{ id, type_id: 1, name: 'review', status: '?', setter: 'a@example.com' },
    ...{ creation_date: time, modification_date: time },
  });

  it.each<[string, object]>([
    ['blocks[0]: is the bug itself', { blocks: [7] }],
    ['depends_on[1]: is the bug itself', { depends_on: [8, 7] }],
    ['dupe_of: is the bug itself', { dupe_of: 7 }],
    ['depends_on[0]: Too small', { depends_on: [-3] }],
    ['dupe_of: Too big', { dupe_of: 3_000_000_000 }],
    ['deadline: must be a date', { deadline: '2024-02-30' }],
    ['see_also[0]: must be an address of the web', { see_also: ['javascript:alert(1)'] }],
    ['flags[1].id: the id 5 appears twice', { flags: [flagged(5), flagged(5)] }],
  ])('is refused: %s', (problem, more) => {
    expect(() => parseNumbered({ bugs: [{ ...bug, id: 7, ...more }] })).toThrow(`$.bugs[0].${problem}`);
  });

  it.each(['', ' ', '..', 'a/..'])('has files with names: %j', (file_name) => {
    const attachments = [aFile(1, { file_name })];
    expect(() => parseNumbered({ bugs: [{ ...bug, attachments }] })).toThrow(
      '$.bugs[0].attachments[0].file_name: must be the name of a file',
    );
  });

  it('has persons, keywords and groups once', () => {
    const twice = { cc: ['b@example.com', 'B@example.com'], keywords: ['k', 'K'], groups: ['g', 'G'] };
    const [one] = parseNumbered({ bugs: [{ ...bug, ...twice }] }).bugs;
    expect(one).toMatchObject({ cc: ['b@example.com'], keywords: ['k'], groups: ['g'] });
  });

  it('has names of files without their paths', () => {
    const names = ['/etc/passwd', '..\\..\\.profile'];
    const attachments = names.map((file_name, index) => aFile(index + 1, { file_name }));
    const [one] = parseNumbered({ bugs: [{ ...bug, attachments }] }).bugs;
    expect(one?.attachments?.map(({ file_name }) => file_name)).toEqual(['passwd', '.profile']);
  });

  /** The kinds of custom fields by their types, with values that they take as they are, and ones that they do not. */
  const KINDS: [type: number, taken: unknown[], refused: unknown[]][] = [
    [1, ['text', ' as it is '], [5, ['a'], 'x'.repeat(256)]],
    [2, ['legal', 'formerly legal'], [['legal'], 1]],
    [3, [['legal', 'formerly legal']], ['legal', [1], ['']]],
    [4, ['a\r\nb', 'x'.repeat(300)], [5]],
    [5, ['2024-01-31T23:59:00Z'], ['yesterday', 5, '2024-02-30T00:00:00Z']],
    [6, [99], ['x', 1.5, 0, -1, 7]],
    [9, ['2024-01-31'], ['2024-13-45', '2024-01-31T00:00:00Z', 5]],
    [10, [-2_147_483_648, 2_147_483_647], ['12', 1.5, 2_147_483_648, 1e300]],
  ];
  const withField = (type: number, value: unknown) =>
    parseNumbered({
      products: [product],
      bug_fields: [{ name: 'cf_a', display_name: 'A', type, values: [{ name: 'legal' }] }],
      bugs: [{ ...bug, id: 7, cf_a: value }],
    });

  it.each(KINDS)('has values of custom fields of its type: %i', async (type, taken, refused) => {
    for (const value of taken) {
      const table = await newTable(withField(type, value));
      const stored = (await allItems(table)).find(({ sk }) => sk === 'BUG');
      expect(stored?.['custom']).toEqual({ cf_a: value });
    }
    const table = await newTable();
    for (const value of refused) {
      await expect(applyCatalogue(table, withField(type, value))).rejects.toThrow('$.bugs[0].cf_a: ');
    }
  });

  it.each([
    [1, ''],
    [2, '---'],
    [3, []],
    [5, null],
    [10, 0],
  ])('stores no empty value of a custom field of type %i: %j', async (type, value) => {
    const stored = (await allItems(await newTable(withField(type, value)))).find(({ sk }) => sk === 'BUG');
    expect(stored?.['custom']).toEqual({});
  });
});

it('an existing group keeps its id and spelling', async () => {
  const table = await newTable(parseCatalogue({ groups: [{ id: 7, name: 'security' }] }));
  const renamed = parseCatalogue({ groups: [{ id: 18, name: 'Security', description: 'Changed' }] });
  await applyCatalogue(table, renamed);
  const groups = (await allItems(table)).filter(({ sk }) => sk === 'GROUP' || sk === 'GROUPID');
  expect(groups).toEqual([
    { pk: 'GROUP#security', sk: 'GROUP', id: 7, name: 'security', description: 'Changed' },
    { pk: 'GROUPID#7', sk: 'GROUPID', name: 'security' },
  ]);
});
