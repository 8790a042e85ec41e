import { beforeEach, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { PLACEHOLDER_MILESTONE } from '../../lib/settings.ts';
import type { Table } from '../../lib/table/client.ts';
import { newTable } from '../support/bugless.ts';
import { exported, exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';

const DEV = 'dev@example.com';
const FORMER = 'former@example.com';

/** A catalogue in which no value is a default. */
const everything = {
  groups: [
    { id: 1, name: 'team', description: 'The team' },
    { id: 2, name: 'others', description: 'Not the team' },
  ],
  users: [
    {
      id: 1,
      login: DEV,
      real_name: 'Dev',
      groups: ['team'],
      api_keys: [
        { key: 'Good', description: 'a script' },
        { key: 'Stolen', description: 'lost', revoked: true },
      ],
    },
    { id: 2, login: FORMER, real_name: 'Former', groups: [], disabled: 'Left' },
  ],
  classifications: [{ name: 'Optics', description: 'Glass' }],
  keywords: [{ name: 'crash', description: 'It crashes' }],
  products: [
    {
      id: 1,
      name: 'Telescope',
      description: 'Sees far',
      classification: 'Optics',
      is_active: false,
      has_unconfirmed: false,
      default_milestone: 'M2',
      group_controls: [{ group: 'team', membercontrol: 'MANDATORY', entry: true, canedit: true }],
      components: [
        {
          id: 1,
          name: 'Lens',
          description: 'Glass',
          default_assigned_to: DEV,
          default_qa_contact: FORMER,
          sort_key: 5,
          is_active: false,
        },
        { id: 2, name: 'Mirror' },
      ],
      versions: [{ id: 1, name: '1.0', sort_key: 5, is_active: false }],
      milestones: [
        { id: 1, name: 'M1', sort_key: 5, is_active: false },
        { id: 2, name: 'M2', sort_key: 6 },
      ],
      flag_types: ['bug', 'attachment'].map((target, index) => ({
        id: index + 1,
        name: 'review',
        target,
        description: 'Look at it',
        cc_list: [DEV],
        sort_key: 5,
        is_active: false,
        is_requestable: false,
        is_requesteeble: false,
        is_multiplicable: false,
        grant_group: 'team',
        request_group: 'team',
        components: ['Lens'],
      })),
    },
  ],
  bugs: [
    {
      id: 1,
      aliases: ['blurred'],
      product: 'Telescope',
      component: 'Lens',
      summary: 'It is blurred',
      status: 'RESOLVED',
      resolution: 'FIXED',
      reporter: DEV,
      assigned_to: DEV,
      qa_contact: FORMER,
      cc: [FORMER],
      groups: ['team'],
      keywords: ['crash'],
      comments: [
        {
          id: 1,
          text: 'All of it',
          creator: DEV,
          creation_time: '2024-01-01',
          is_private: true,
          tags: ['tag'],
        },
      ],
    },
  ],
};

const comment = { text: 'All of it', creator: DEV, creation_time: '2024-01-01' };
const bug = { product: 'Telescope', component: 'Lens', summary: 'It is blurred', reporter: DEV };
const flagTypes = ['bug', 'attachment'].map((target) => ({ name: 'review', target }));

describe('a catalogue with few fields of existing entries', () => {
  let table: Table;
  const apply = (given: object) => applyCatalogue(table, parseNumbered(given));
  beforeEach(async () => {
    table = await newTable();
    await apply(everything);
  });

  it.each<[string, object]>([
    ['group', { groups: [{ name: 'Team' }] }],
    ['disabled user', { users: [{ login: FORMER }] }],
    ['user with keys', { users: [{ login: DEV, api_keys: [{ key: 'Good' }, { key: 'Stolen' }] }] }],
    ['classification', { classifications: [{ name: 'Optics' }] }],
    ['keyword', { keywords: [{ name: 'crash' }] }],
    ['product', { products: [{ name: 'Telescope' }] }],
    ['product by its id', { products: [{ id: 1, name: 'Telescope' }] }],
    ['component', { products: [{ name: 'Telescope', components: [{ name: 'Lens' }] }] }],
    ['version', { products: [{ name: 'Telescope', versions: [{ name: '1.0' }] }] }],
    ['milestone', { products: [{ name: 'Telescope', milestones: [{ name: 'M1' }] }] }],
    ['two flag types of one name', { products: [{ name: 'Telescope', flag_types: flagTypes }] }],
    ['bug', { bugs: [{ ...bug, id: 1, comments: [{ ...comment, id: 1 }] }] }],
    ['bug by its alias', { bugs: [{ ...bug, aliases: ['blurred'], comments: [comment] }] }],
    ['bug by its summary, reporter, time and description', { bugs: [{ ...bug, comments: [comment] }] }],
  ])('keeps the others: %s', async (_, given) => {
    const before = await exported(table);
    const summary = await apply(given);
    expect(await exported(table)).toBe(before);
    for (const { added, changed } of Object.values(summary)) expect([added, changed]).toEqual([0, 0]);
  });

  it('keeps dependencies, and adds the other ends of new ones', async () => {
    const withId = (id: number) => ({ ...bug, id, comments: [{ ...comment, id }] });
    await apply({ bugs: [{ ...withId(1), blocks: [2] }, withId(2)] });
    await apply({ bugs: [withId(1), { ...withId(3), depends_on: [1] }] });
    const dependencies = async () => {
      const { bugs } = parseCatalogue(await exportedCatalogue(table));
      return bugs.map(({ id, blocks, depends_on }) => [id, blocks, depends_on]).sort();
    };
    expect(await dependencies()).toEqual([
      [1, [2, 3], []],
      [2, [], [1]],
      [3, [], [1]],
    ]);
    await expectNoViolations(table);
  });

  it('sets those that it has, also to empty and false', async () => {
    const product = {
      name: 'Telescope',
      group_controls: [{ group: 'others' }],
      components: [{ name: 'Lens', default_qa_contact: '', sort_key: 0 }],
      flag_types: [{ ...flagTypes[0], components: null, grant_group: null, cc_list: [] }],
    };
    await apply({
      users: [
        { login: FORMER, disabled: null },
        { login: DEV, groups: [], api_keys: [{ key: 'Stolen', revoked: false }] },
      ],
      products: [product],
      bugs: [{ ...bug, id: 1, cc: [], groups: [], comments: [{ ...comment, id: 1, is_private: false }] }],
    });
    const { users, bugs } = parseCatalogue(await exportedCatalogue(table));
    expect(users.find(({ login }) => login === FORMER)).toMatchObject({ real_name: 'Former' });
    expect(users.find(({ login }) => login === FORMER)).not.toHaveProperty('disabled');
    expect(users.find(({ login }) => login === DEV)).toMatchObject({ real_name: 'Dev', groups: [] });
    expect(users.flatMap(({ api_keys }) => api_keys).filter(({ revoked }) => revoked)).toEqual([]);
    expect(bugs).toMatchObject([{ cc: [], groups: [], assigned_to: DEV, comments: [{ is_private: false }] }]);
    const stored = await productRepository(table).withParts(1);
    expect(stored).toMatchObject({
      product: { description: 'Sees far', group_controls: [{ group: 'others', entry: false }] },
      components: [{ default_qa_contact: '', default_assigned_to: DEV, sort_key: 0 }, {}],
      flagTypes: [
        { target: 'bug', components: null, grant_group: null, cc_list: [], sort_key: 5 },
        { target: 'attachment', components: [1], cc_list: [DEV] },
      ],
    });
    await expectNoViolations(table);
  });

  it('refuses an empty reason for a disabled user', () => {
    expect(() => parseCatalogue({ users: [{ login: FORMER, disabled: '' }] })).toThrow('$.users[0].disabled');
  });
});

it('a new product without versions and milestones gets the default ones, as bugs of it do', async () => {
  const table = await newTable();
  const bugs = [{ ...bug, id: 1, comments: [comment] }];
  await applyCatalogue(
    table,
    parseNumbered({ products: [{ name: 'Telescope', components: [{ name: 'Lens' }] }], bugs }),
  );
  const catalogue = parseCatalogue(await exportedCatalogue(table));
  expect(catalogue).toMatchObject({
    products: [{ versions: [{ name: 'unspecified' }], milestones: [{ name: PLACEHOLDER_MILESTONE }] }],
    bugs: [{ version: 'unspecified', target_milestone: PLACEHOLDER_MILESTONE }],
  });
  await expectNoViolations(table);
});
