import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import {
  aliasKey,
  bugKey,
  commentKey,
  commentPointerKey,
  counterKey,
  groupIdKey,
  groupKey,
  historyKey,
  type Key,
  productIndexKey,
  productKey,
  productNameKey,
  productPartsKey,
  tagKey,
  tagSuffixKeys,
  userApiKeyKey,
  userIdKey,
  userKey,
  wordKey,
} from '../../lib/dynamodb/keys.ts';
import type { Attributes, Item } from '../../lib/dynamodb/read.ts';
import { parseParts } from '../../lib/products/document.ts';
import type { ComponentItem, ProductParts } from '../../lib/products/schema.ts';
import { hashOf } from '../../lib/users/repository.ts';
import { adminOf, type CommandResult } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { violationsOf } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { restore } from '../support/restore-table.ts';
import { allItems, keyOf } from '../support/table-items.ts';

const PLAIN = 'plain@example.com';

const comment = (id: number, more: object = {}) => ({
  ...{ id, text: `Comment ${id}`, creator: PLAIN, creation_time: `2024-01-02T0${id % 10}:00:00Z` },
  ...more,
});
const bug = (id: number, comments: object[], more: object = {}) => ({
  ...{ id, product: 'Alpha', component: 'Core', summary: 's', reporter: PLAIN, comments },
  ...more,
});
const product = (id: number, name: string) => ({
  ...{ id, name, components: [{ id, name: 'Core' }], versions: [{ id, name: '1' }] },
  ...{ milestones: [{ id, name: 'M' }] },
});

const catalogue = parseCatalogue({
  groups: [{ id: 1, name: 'insiders' }],
  users: [{ id: 1, login: PLAIN, api_keys: [{ key: keys.plain }] }],
  products: [product(2, 'Alpha'), product(4, 'Beta')],
  bugs: [
    bug(1, [comment(11, { tags: ['spam'] }), comment(12, { work_time: 1.5 }), comment(13), comment(14)], {
      aliases: ['alpha-bug'],
    }),
    bug(9, [comment(21, { tags: ['spam'] })], { groups: ['insiders'] }),
  ],
});

let table: Table;
let original: Item[];
let admin: (...args: string[]) => Promise<CommandResult>;
beforeAll(async () => {
  table = await newTable();
  await applyCatalogue(table, catalogue);
  original = await allItems(table);
  admin = adminOf(table);
});

afterEach(() => restore(table, original));

const removal = ({ pk, sk }: Item) => ({ DeleteRequest: { Key: { pk, sk } } });

async function write(requests: object[]): Promise<void> {
  for (let at = 0; at < requests.length; at += 25) {
    const RequestItems = { [table.name]: requests.slice(at, at + 25) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
}

const remove = (...gone: Key[]) => write(gone.map((key) => removal({ ...key })));
const put = (item: Attributes) => write([{ PutRequest: { Item: item } }]);

function itemAt(key: Key): Item {
  const found = original.find((item) => keyOf(item) === keyOf({ ...key }));
  if (found === undefined) throw new Error(`The catalogue makes no ${keyOf({ ...key })}`);
  return found;
}

const NO_PARTS = JSON.stringify({ components: [], flagTypes: [], milestones: [], versions: [] });

/** Changes the components of a product, beside its other parts. */
function changeParts(id: number, edit: (parts: ProductParts) => ComponentItem[]): Promise<void> {
  const parts = parseParts([String(itemAt(productKey(id))['parts'])]);
  return change(productKey(id), { parts: JSON.stringify({ ...parts, components: edit(parts) }) });
}

const change = (key: Key, fields: Attributes) => put({ ...itemAt(key), ...fields });

/** Comment 2 of the first bug with three. */
function aComment(): Item & { id: number; bug_id: number; creation_time: string; count: number } {
  const found = original.find(({ sk, count }) => String(sk).startsWith('COMMENT#') && count === 2);
  return found as ReturnType<typeof aComment>;
}
interface ViolationCase {
  name: string;
  damage(): Promise<void>;
  expected: RegExp;
}

const repairableCases: ViolationCase[] = [
  {
    name: 'a group whose id does not point to it',
    damage: () => remove(groupIdKey(1)),
    expected: /^GROUPID#1 GROUPID: is missing; the group 'insiders' has this id$/,
  },
  {
    name: 'a product whose name does not point to it',
    damage: () => remove(productNameKey('Alpha')),
    expected: /^PRODUCTNAME#alpha PRODUCTNAME: is missing; product 2 has this name$/,
  },
  {
    name: 'a name that points to its product in another spelling',
    damage: () => change(productNameKey('Alpha'), { name: 'aLPHA' }),
    expected: /^PRODUCTNAME#alpha PRODUCTNAME: points to product 2 as 'aLPHA'/,
  },
  {
    name: 'a name that points to a missing product',
    damage: () => put({ ...productNameKey('Gone'), product_id: 999, name: 'Gone' }),
    expected: /^PRODUCTNAME#gone PRODUCTNAME: points to product 999, which does not exist$/,
  },
  {
    name: 'a former name of a product',
    damage: () => put({ ...productNameKey('Older'), product_id: 2, name: 'Older' }),
    expected: /^PRODUCTNAME#older PRODUCTNAME: points to product 2, which is named 'Alpha'$/,
  },
  {
    name: 'a product without an entry in the product index',
    damage: () => remove(productIndexKey(2)),
    expected: /^PRODUCTINDEX PRODUCT#0000000002: contains nothing, expected \{"id":2,/,
  },
  {
    name: 'a product that differs from its entry in the product index',
    damage: () => change(productIndexKey(2), { takes_bugs: false }),
    expected:
      /^PRODUCTINDEX PRODUCT#0000000002: contains .*"takes_bugs":false.*, expected .*"takes_bugs":true/,
  },
  {
    name: 'an entry in the product index without a product',
    damage: () => put({ ...itemAt(productIndexKey(2)), ...productIndexKey(998), id: 998 }),
    expected: /^PRODUCTINDEX PRODUCT#0000000998: points to product 998, which does not exist$/,
  },
  {
    name: 'an outdated has_active_component',
    damage: () => change(productKey(2), { has_active_component: false }),
    expected: /^PRODUCT#2 PRODUCT: has_active_component or has_active_version differs from its parts/,
  },
  {
    name: 'a bug with a wrong comment count',
    damage: () => change(bugKey(1), { comment_count: 3 }),
    expected: /^BUG#1 BUG: has totals of 3 comments, /,
  },
  {
    name: 'a bug with a wrong time of its last comment',
    damage: () => change(bugKey(1), { last_comment_time: '2001-01-01T00:00:00Z' }),
    expected: /^BUG#1 BUG: has totals of \d+ comments, the last of 2001-01-01T00:00:00Z/,
  },
  {
    name: 'a bug with a wrong sum of hours',
    damage: () => change(bugKey(1), { hours_worked: 1.25 }),
    expected: /^BUG#1 BUG: .* with 1.25 hours, expected .* with 1.5 hours$/,
  },
  {
    name: 'parts without a product',
    damage: () => put({ ...productPartsKey(900, 'any', 0), parts: NO_PARTS }),
    expected: /^PRODUCT#900 PARTS#any#0000000000: its product does not exist$/,
  },
  {
    name: 'parts that their product does not refer to',
    damage: () => put({ ...productPartsKey(4, 'other', 0), parts: NO_PARTS }),
    expected: /^PRODUCT#4 PARTS#other#0000000000: its product does not refer to it$/,
  },
  {
    name: 'a comment whose id does not point to it',
    damage: () => remove(commentPointerKey(aComment().id)),
    expected: /^COMMENT#\d+ COMMENT: is missing; the comment is at BUG#\d+ COMMENT#.*$/,
  },
  {
    name: 'a comment id that points to another comment',
    damage: () =>
      change(commentPointerKey(aComment().id), { count: 0, creation_time: firstTimeOf(aComment().bug_id) }),
    expected: /^COMMENT#\d+ COMMENT: points to BUG#\d+ COMMENT#.*, which is comment \d+$/,
  },
  {
    name: 'a comment id that points to no comment',
    damage: () =>
      put({ ...commentPointerKey(5), bug_id: 1, creation_time: '2020-01-01T00:00:00Z', count: 9 }),
    expected:
      /^COMMENT#5 COMMENT: points to BUG#1 COMMENT#2020-01-01T00:00:00Z#0000000009, which does not exist$/,
  },
  {
    name: 'an alias that does not point to its bug',
    damage: () => remove(aliasKey('alpha-bug')),
    expected: /^ALIAS#alpha-bug ALIAS: is missing; bug \d+ has this alias$/,
  },
  {
    name: 'an alias that its bug does not have',
    damage: () => put({ ...aliasKey('stray'), bug_id: 1 }),
    expected: /^ALIAS#stray ALIAS: points to bug 1, which does not have this alias$/,
  },
  {
    name: 'an alias of a missing bug',
    damage: () => put({ ...aliasKey('stray'), bug_id: 999 }),
    expected: /^ALIAS#stray ALIAS: points to bug 999, which does not exist$/,
  },
  {
    name: 'a tag with a wrong count',
    damage: () => change(tagKey('spam'), { uses: 77 }),
    expected: /^TAG#spam TAG: is on \d comments, its count is 77$/,
  },
  {
    name: 'a tag on comments without an item',
    damage: () => remove(tagKey('spam'), ...tagSuffixKeys('spam')),
    expected: /^TAG#spam TAG: is on \d comments, its count is 0$/,
  },
  {
    name: 'a tag that is on no comment',
    damage: async () => {
      await put({ ...tagKey('Unused'), tag: 'Unused', uses: 2 });
      for (const key of tagSuffixKeys('Unused')) await put({ ...key });
    },
    expected: /^TAG#unused TAG: is on 0 comments, its count is 2$/,
  },
  {
    name: 'a tag without one of its suffixes',
    damage: () => remove(...tagSuffixKeys('spam').slice(1, 2)),
    expected: /^TAGSUFFIX#p pam#spam: is missing; the tag 'spam' has this suffix$/,
  },
  {
    name: 'a suffix of a missing tag',
    damage: () => put({ pk: 'TAGSUFFIX#h', sk: 'host#ghost' }),
    expected: /^TAGSUFFIX#h host#ghost: is a suffix of the tag 'ghost', which is not in use$/,
  },
  {
    name: 'a suffix item that is not a suffix',
    damage: () => put({ pk: 'TAGSUFFIX#x', sk: 'xx#spam' }),
    expected: /^TAGSUFFIX#x xx#spam: is not a suffix of 'spam'$/,
  },
  {
    name: 'a user whose id does not point to them',
    damage: () => remove(userIdKey(1)),
    expected: /^USERID#1 USERID: is missing; '.*' has this id$/,
  },
  {
    name: 'an API key that is not listed',
    damage: () => remove(userApiKeyKey('plain@example.com', hashOf(keys.plain))),
    expected:
      /^USER#plain@example.com APIKEY#[\da-f]{64}: is missing: an API key of 'plain@example.com' is not listed/,
  },
  {
    name: 'an API key with an outdated copy of its user',
    damage: () =>
      change(
        { pk: `APIKEY#${hashOf(keys.plain)}`, sk: 'APIKEY' },
        { user: { ...plainUser(), groups: ['insiders'] } },
      ),
    expected: /^APIKEY#[\da-f]{64} APIKEY: its copy of the user 'plain@example.com' differs/,
  },
  {
    name: 'a counter that is behind',
    damage: () => change(counterKey('comment'), { last: 3 }),
    expected: /^COUNTER#comment COUNTER: is at 3, behind the id \d+$/,
  },
  {
    name: 'a missing counter',
    damage: () => remove(counterKey('bug')),
    expected: /^COUNTER#bug COUNTER: is at 0, behind the id \d+$/,
  },
];

function firstTimeOf(bug: number): unknown {
  return original.find(({ pk, count }) => pk === `BUG#${bug}` && count === 0)?.['creation_time'];
}

const ambiguousCases: ViolationCase[] = [
  {
    name: 'comments without a bug',
    damage: () => {
      const place = { bug_id: 900, creation_time: '2024-01-01T00:00:00Z', count: 0 };
      const key = commentKey(place);
      return Promise.all([
        put({ ...aComment(), ...key, ...place, id: 5, tags: [] }),
        put({ ...commentPointerKey(5), ...place }),
      ]).then(() => undefined);
    },
    expected: /^BUG#900 COMMENT#2024-01-01T00:00:00Z#0000000000: its bug does not exist$/,
  },
  {
    name: 'two products of one name',
    damage: () => change(productKey(4), { name: 'Alpha' }),
    expected: /^PRODUCTNAME#alpha PRODUCTNAME: points to product 2 as 'Alpha'; product 4 is named 'Alpha'$/,
  },
  {
    name: 'a missing default milestone',
    damage: () => change(productKey(2), { default_milestone: 'Never' }),
    expected: /^PRODUCT#2 PRODUCT: has no milestone 'Never', its default$/,
  },
  {
    name: 'a lost comment',
    damage: () => remove(commentKey(aComment()), commentPointerKey(aComment().id)),
    expected: /^BUG#\d+ COMMENT#.*: has the count 3, expected 2$/,
  },
  {
    name: 'a lost last comment',
    damage: () => remove(commentKey({ bug_id: 1, creation_time: '2024-01-02T04:00:00Z', count: 3 })),
    expected: /^BUG#1 BUG: has totals of 4 comments, .*, expected 3 comments, /,
  },
  {
    name: 'the id of a lost comment, its only trace',
    damage: () => remove(commentKey({ bug_id: 1, creation_time: '2024-01-02T04:00:00Z', count: 3 })),
    expected:
      /^COMMENT#14 COMMENT: points to BUG#1 COMMENT#2024-01-02T04:00:00Z#0000000003, which does not exist$/,
  },
  {
    name: 'an alias that a bug has twice',
    damage: () => change(bugKey(1), { aliases: ['alpha-bug', 'Alpha-Bug'] }),
    expected: /^BUG#1 BUG: has the alias 'Alpha-Bug' twice$/,
  },
  {
    name: 'two components of one id',
    damage: () => changeParts(4, ({ components }) => components.map((one) => ({ ...one, id: 2 }))),
    expected: /^PRODUCT#\d PRODUCT: component 2 is also in PRODUCT#\d$/,
  },
  {
    name: 'parts of a product that do not match their schema',
    damage: () => change(productKey(4), { parts: '{"components": 1}' }),
    expected: /^PRODUCT#4 PRODUCT: .*must be JSON of parts of a product/,
  },
  {
    name: 'two components of one name',
    damage: () =>
      changeParts(4, ({ components }) => [...components, ...components.map((one) => ({ ...one, id: 5 }))]),
    expected: /^PRODUCT#4 PRODUCT: has two components named 'Core'$/,
  },
  {
    name: 'two components whose names differ in case',
    damage: () =>
      changeParts(4, ({ components }) => [
        ...components,
        ...components.map((one) => ({ ...one, id: 5, name: one.name.toUpperCase() })),
      ]),
    expected: /^PRODUCT#4 PRODUCT: has two components named 'CORE'$/,
  },
  {
    name: 'a reference to a group in another spelling',
    damage: () => change(bugKey(9), { groups: ['Insiders'] }),
    expected: /^BUG#9 BUG: refers to the group 'Insiders', which is spelled 'insiders'$/,
  },
  {
    name: 'the id of a group that points to another',
    damage: () => change(groupIdKey(1), { name: 'others' }),
    expected: /^GROUPID#1 GROUPID: points to the group 'others', which does not have this id$/,
  },
  {
    name: 'a reference to a missing group',
    damage: () => remove(groupKey('insiders')),
    expected: /^BUG#9 BUG: refers to GROUP#insiders GROUP, which does not exist$/,
  },
  {
    name: 'a reference to a missing classification',
    damage: () => change(productKey(2), { classification: 'Lost' }),
    expected: /^PRODUCT#2 PRODUCT: refers to CLASSIFICATION#lost CLASSIFICATION, which does not exist$/,
  },
  {
    name: 'a bug of an unknown component',
    damage: () => change(bugKey(1), { component_id: 99 }),
    expected: /^BUG#1 BUG: has the component 99, which its product does not have$/,
  },
  {
    name: 'an open bug with a resolution',
    damage: () => change(bugKey(1), { resolution: 'FIXED' }),
    expected: /^BUG#1 BUG: is CONFIRMED with the resolution 'FIXED'$/,
  },
  {
    name: 'a closed bug without a resolution',
    damage: () => change(bugKey(1), { status: 'VERIFIED' }),
    expected: /^BUG#1 BUG: is VERIFIED without a resolution$/,
  },
  {
    name: 'a duplicate of nothing',
    damage: () => change(bugKey(1), { status: 'RESOLVED', resolution: 'DUPLICATE' }),
    expected: /^BUG#1 BUG: is DUPLICATE without a bug that it duplicates$/,
  },
  {
    name: 'a bug that depends on itself',
    damage: () => change(bugKey(1), { blocks: [1], depends_on: [1] }),
    expected: /^BUG#1 BUG: depends on itself$/,
  },
  {
    name: 'negative hours',
    damage: () => change(bugKey(1), { remaining_time: -1 }),
    expected: /^BUG#1 BUG: has negative hours$/,
  },
  {
    name: 'history without a bug',
    damage: () =>
      put({
        ...historyKey(900, '2024-01-01T00:00:00Z', 1),
        ...{ bug_id: 900, when: '2024-01-01T00:00:00Z', who: PLAIN, changes: [] },
      }),
    expected: /^BUG#900 HISTORY#.*: its bug does not exist$/,
  },
  {
    name: 'a bug in a missing product',
    damage: () => change(bugKey(1), { product_id: 777 }),
    expected: /^BUG#1 BUG: is in PRODUCT#777 PRODUCT, which does not exist$/,
  },
  {
    name: 'an alias of two bugs',
    damage: () => change(bugKey(9), { aliases: ['Alpha-Bug'] }),
    expected: /^ALIAS#alpha-bug ALIAS: points to bug \d+; bug 9 has the same alias$/,
  },
  {
    name: 'an API key without a user',
    damage: () => remove(userKey('plain@example.com')),
    expected: /^APIKEY#[\da-f]{64} APIKEY: belongs to 'plain@example.com', who does not exist$/,
  },
  {
    name: 'a valid API key that is listed as revoked',
    damage: () => change(userApiKeyKey('plain@example.com', hashOf(keys.plain)), { revoked: true }),
    expected: /^USER#plain@example.com APIKEY#.*: lists the API key as revoked, but it is valid$/,
  },
  {
    name: 'an item without a required attribute',
    damage: async () => {
      const { summary: _, ...rest } = itemAt(bugKey(1));
      await put(rest);
    },
    expected: /^BUG#1 BUG: .*summary/,
  },
  {
    name: 'an item whose key does not match its content',
    damage: () => change(bugKey(1), { id: 8 }),
    expected: /^BUG#1 BUG: key does not match its content, expected BUG#8 BUG$/,
  },
  {
    name: 'an item of an unknown kind',
    damage: () => put({ pk: 'FOREIGN#1', sk: 'THING', is: 'here' }),
    expected: /^FOREIGN#1 THING: is of no known kind$/,
  },
];

function plainUser(): Attributes {
  return itemAt({ pk: `APIKEY#${hashOf(keys.plain)}`, sk: 'APIKEY' })['user'] as Attributes;
}

/** Without what a repair cannot restore: the revision of a product, the description of an API key. */
const comparable = ({ revision: _, version: __, changed_at: ___, ...item }: Item): Attributes =>
  'hash' in item ? { ...item, description: '' } : item;

describe('integrity check', () => {
  it('finds no violations in a valid table', async () => {
    expect(await violationsOf(table)).toEqual([]);
  });

  it.each(repairableCases)('finds and repairs only $name', async ({ damage, expected }) => {
    await damage();
    const { repaired, left } = await repairTable(table);
    expect(repaired.map(lineOf)).toContainEqual(expect.stringMatching(expected));
    expect(left.found).toEqual([]);
    expect((await allItems(table)).map(comparable)).toEqual(original.map(comparable));
  });

  it.each(ambiguousCases)('finds $name, and does not repair it', async ({ damage, expected }) => {
    await damage();
    const { found: left } = (await repairTable(table)).left;
    const finding = left.find((one) => expected.test(lineOf(one)));
    expect(left.map(lineOf)).toContainEqual(expect.stringMatching(expected));
    expect(finding?.repair).toBeUndefined();
  });

  it('finds bugs that lack a group that their product requires, and repairs them', async () => {
    const controls = [{ group: 'insiders', entry: false, membercontrol: 'MANDATORY', canedit: false }];
    await change(productKey(2), { group_controls: controls });
    const { repaired, left } = await repairTable(table);
    expect(repaired.map(lineOf)).toContain(
      "BUG#1 BUG: is not in the group 'insiders', which its product requires",
    );
    expect(left.found).toEqual([]);
    const bugs = (await allItems(table)).filter(({ sk }) => sk === 'BUG');
    expect(bugs.map(({ groups }) => groups)).toEqual([['insiders'], ['insiders']]);
  });

  it('notes what an import may bring', async () => {
    const see = (id: number) => `https://bugs.example.org/show_bug.cgi?id=${id}`;
    const elsewhere = 'https://bugzilla.example.com/show_bug.cgi?id=9';
    await change(bugKey(1), {
      ...{ status: 'REOPENED', version: 'Never', target_milestone: 'Ever' },
      see_also: [see(9), elsewhere],
    });
    await change(bugKey(9), {
      ...{ status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: 777 },
      see_also: [see(1), see(9)],
    });
    await put({ ...itemAt(bugKey(9)), ...bugKey(8), id: 8, see_also: [see(1)], comment_count: 0 });
    const { found } = await checkTable(table);
    expect(
      found
        .filter(({ isNote }) => isNote)
        .map(lineOf)
        .toSorted(),
    ).toEqual([
      "BUG#1 BUG: has the milestone 'Ever', which its product does not have",
      "BUG#1 BUG: has the status 'REOPENED', which does not exist",
      "BUG#1 BUG: has the version 'Never', which its product does not have",
      'BUG#8 BUG: has bug 1 in see_also, which does not have it',
      'BUG#9 BUG: is a duplicate of bug 777, which does not exist',
    ]);
  });

  it('notes how many words no comment has', async () => {
    for (const word of ['phantom', 'spectre']) {
      await put({ ...wordKey(word, 1, false), bug_id: 1, comment: 'COMMENT#never' });
    }
    const { found } = await checkTable(table);
    expect(found.map(({ item, violation, isNote }) => [item, violation, isNote])).toEqual([
      ['WORD#', expect.stringContaining('about 2 words'), true],
    ]);
  });

  it('succeeds with notes alone', async () => {
    await change(bugKey(1), { status: 'REOPENED' });
    // The search index follows.
    await repairTable(table);
    const { code, stdout } = await admin('check');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^note {8}BUG#1 BUG: has the status 'REOPENED'.*\nNo violations found\n$/),
    ]);
  });

  it('repairs nothing while an item does not match its schema', async () => {
    const { text: _, ...rest } = itemAt(
      commentKey({ bug_id: 1, creation_time: '2024-01-02T04:00:00Z', count: 3 }),
    );
    await put(rest);
    await change(tagKey('spam'), { uses: 77 });
    const damaged = await allItems(table);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContainEqual(expect.stringMatching(/^BUG#1 COMMENT#.*: .*text/));
    expect(await allItems(table)).toEqual(damaged);
  });

  it('reports at most 1,000 violations of each check, and repairs all of them', async () => {
    const names = Array.from({ length: 1_100 }, (_, place) => `gone ${place}`);
    await write(
      names.map((name) => ({ PutRequest: { Item: { ...productNameKey(name), product_id: 999, name } } })),
    );
    await remove(counterKey('bug'));
    const { found, hasMore } = await checkTable(table);
    expect([found.length, hasMore]).toEqual([1_001, true]);
    expect(found.map(lineOf)).toContain('COUNTER#bug COUNTER: is at 0, behind the id 9');
    const { repaired, left } = await repairTable(table);
    expect([repaired.length, left]).toEqual([1_101, { found: [], hasMore: false }]);
  });
});

describe('npm run admin -- check', () => {
  it('reports no violations, with code 0', async () => {
    expect(await admin('check')).toMatchObject({ code: 0, stdout: 'No violations found\n' });
  });

  it('reports violations with code 1, and repairs them with --repair', async () => {
    await change(tagKey('spam'), { uses: 77 });
    await put({ pk: 'FOREIGN#1', sk: 'THING' });
    const damaged = await allItems(table);
    const { code, stdout, stderr } = await admin('check');
    expect(await allItems(table)).toEqual(damaged);
    expect([code, stdout.trim().split('\n').toSorted()]).toEqual([
      1,
      [
        expect.stringMatching(/^repairable {2}TAG#spam TAG: is on \d comments, its count is 77$/),
        'violation   FOREIGN#1 THING: is of no known kind',
      ],
    ]);
    expect(stderr).toContain('2 violations found, of which --repair can repair 1');

    const repairing = await admin('check', '--repair', '--json');
    expect(repairing.code).toBe(1);
    expect(JSON.parse(repairing.stdout)).toEqual({
      repaired: [{ item: 'TAG#spam TAG', violation: expect.stringContaining('its count is 77') }],
      found: [
        { item: 'FOREIGN#1 THING', violation: expect.any(String), can_be_repaired: false, is_note: false },
      ],
      has_more: false,
    });
    await remove({ pk: 'FOREIGN#1', sk: 'THING' });
    expect((await admin('check')).code).toBe(0);
  });

  it('takes no arguments', async () => {
    expect(await admin('check', 'everything')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too many arguments'),
    });
  });
});
