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
} from '../../lib/dynamodb/keys.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { parseParts } from '../../lib/products/document.ts';
import type { ComponentItem, ProductParts } from '../../lib/products/schema.ts';
import { hashOf } from '../../lib/users/repository.ts';
import { adminOf, type Ran } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { wrongsOf } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
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
let whole: Item[];
let admin: (...args: string[]) => Promise<Ran>;
beforeAll(async () => {
  table = await newTable();
  await applyCatalogue(table, catalogue);
  whole = await allItems(table);
  admin = adminOf(table);
});

afterEach(async () => {
  const now = new Map((await allItems(table)).map((item) => [keyOf(item), item]));
  const wanted = new Set(whole.map(keyOf));
  const differing = whole.filter((item) => JSON.stringify(item) !== JSON.stringify(now.get(keyOf(item))));
  await write([...now.values()].filter((item) => !wanted.has(keyOf(item))).map(removal));
  await write(differing.map((item) => ({ PutRequest: { Item: item } })));
});

const removal = ({ pk, sk }: Item) => ({ DeleteRequest: { Key: { pk, sk } } });

async function write(requests: object[]): Promise<void> {
  for (let at = 0; at < requests.length; at += 25) {
    const RequestItems = { [table.name]: requests.slice(at, at + 25) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
}

const remove = (...gone: Key[]) => write(gone.map((key) => removal({ ...key })));
const put = (item: Item) => write([{ PutRequest: { Item: item } }]);

function itemAt(key: Key): Item {
  const found = whole.find((item) => keyOf(item) === keyOf({ ...key }));
  if (found === undefined) throw new Error(`The catalogue makes no ${keyOf({ ...key })}`);
  return found;
}

const NO_PARTS = JSON.stringify({ components: [], flagTypes: [], milestones: [], versions: [] });

/** Changes the components of a product, beside its other parts. */
function changeParts(id: number, edit: (parts: ProductParts) => ComponentItem[]): Promise<void> {
  const parts = parseParts([String(itemAt(productKey(id))['parts'])]);
  return change(productKey(id), { parts: JSON.stringify({ ...parts, components: edit(parts) }) });
}

const change = (key: Key, fields: Item) => put({ ...itemAt(key), ...fields });

/** Where comment 2 of the first bug stands that has three. */
function aComment(): Item & { id: number; bug_id: number; creation_time: string; count: number } {
  const found = whole.find(({ sk, count }) => String(sk).startsWith('COMMENT#') && count === 2);
  return found as ReturnType<typeof aComment>;
}
const placeOf = ({ bug_id, creation_time, count }: ReturnType<typeof aComment>) =>
  commentKey(bug_id, creation_time, count);

interface Damage {
  what: string;
  done(): Promise<void>;
  found: RegExp;
}

/** What has one right answer. */
const reparable: Damage[] = [
  {
    what: 'a group whose id does not lead to it',
    done: () => remove(groupIdKey(1)),
    found: /^GROUPID#1 GROUPID: the group 'insiders' has this id, and it does not lead there$/,
  },
  {
    what: 'a product whose name does not lead to it',
    done: () => remove(productNameKey('Alpha')),
    found: /^PRODUCTNAME#alpha PRODUCTNAME: product 2 has this name, and it does not lead there$/,
  },
  {
    what: 'a name that leads to its product in another spelling',
    done: () => change(productNameKey('Alpha'), { name: 'aLPHA' }),
    found: /^PRODUCTNAME#alpha PRODUCTNAME: it leads to product 2 as 'aLPHA'/,
  },
  {
    what: 'a name that leads to a product that is not there',
    done: () => put({ ...productNameKey('Gone'), product_id: 999, name: 'Gone' }),
    found: /^PRODUCTNAME#gone PRODUCTNAME: it leads to product 999, which is not there$/,
  },
  {
    what: 'a name that its product has no longer',
    done: () => put({ ...productNameKey('Older'), product_id: 2, name: 'Older' }),
    found: /^PRODUCTNAME#older PRODUCTNAME: it leads to product 2, which is named 'Alpha'$/,
  },
  {
    what: 'a product that the catalogue does not have',
    done: () => remove(productIndexKey(2)),
    found: /^PRODUCTINDEX PRODUCT#0000000002: it says nothing, the product \{"id":2,/,
  },
  {
    what: 'a product of which the catalogue says something else',
    done: () => change(productIndexKey(2), { takes_bugs: false }),
    found:
      /^PRODUCTINDEX PRODUCT#0000000002: it says .*"takes_bugs":false.*, the product .*"takes_bugs":true/,
  },
  {
    what: 'a product in the catalogue that is not there',
    done: () => put({ ...itemAt(productIndexKey(2)), ...productIndexKey(998), id: 998 }),
    found: /^PRODUCTINDEX PRODUCT#0000000998: it leads to product 998, which is not there$/,
  },
  {
    what: 'a product that forgot that it has an active component',
    done: () => change(productKey(2), { has_active_component: false }),
    found: /^PRODUCT#2 PRODUCT: whether it has an active component/,
  },
  {
    what: 'a bug that counts its comments wrongly',
    done: () => change(bugKey(1), { comment_count: 3 }),
    found: /^BUG#1 BUG: it says 3 comments, /,
  },
  {
    what: 'a bug that has a wrong time of its last comment',
    done: () => change(bugKey(1), { last_comment_time: '2001-01-01T00:00:00Z' }),
    found: /^BUG#1 BUG: it says \d+ comments, the last of 2001-01-01T00:00:00Z/,
  },
  {
    what: 'a bug that adds up its hours wrongly',
    done: () => change(bugKey(1), { hours_worked: 1.25 }),
    found: /^BUG#1 BUG: .* with 1.25 hours; there are .* with 1.5 hours$/,
  },
  {
    what: 'parts without their product',
    done: () => put({ ...productPartsKey(900, 1, 0), parts: NO_PARTS }),
    found: /^PRODUCT#900 PARTS#0000000001#0000000000: its product is not there$/,
  },
  {
    what: 'parts of a revision that a product does not have',
    done: () => put({ ...productPartsKey(4, 99, 0), parts: NO_PARTS }),
    found: /^PRODUCT#4 PARTS#0000000099#0000000000: it belongs to no revision of its product$/,
  },
  {
    what: 'comments without their bug',
    done: () => {
      const place = { bug_id: 900, creation_time: '2024-01-01T00:00:00Z', count: 0 };
      const key = commentKey(900, place.creation_time, 0);
      return Promise.all([
        put({ ...aComment(), ...key, ...place, id: 5, tags: [] }),
        put({ ...commentPointerKey(5), ...place }),
      ]).then(() => undefined);
    },
    found: /^BUG#900 COMMENT#2024-01-01T00:00:00Z#0000000000: its bug is not there$/,
  },
  {
    what: 'a comment that is not found by its id',
    done: () => remove(commentPointerKey(aComment().id)),
    found: /^COMMENT#\d+ COMMENT: the comment is at BUG#\d+ COMMENT#.*, its id leads nowhere$/,
  },
  {
    what: "a comment's id that leads to another comment",
    done: () =>
      change(commentPointerKey(aComment().id), { count: 0, creation_time: firstTimeOf(aComment().bug_id) }),
    found: /^COMMENT#\d+ COMMENT: it leads to BUG#\d+ COMMENT#.*, where comment \d+ is$/,
  },
  {
    what: 'an id that leads to no comment',
    done: () => put({ ...commentPointerKey(5), bug_id: 1, creation_time: '2020-01-01T00:00:00Z', count: 9 }),
    found: /^COMMENT#5 COMMENT: it leads to BUG#1 COMMENT#2020-01-01T00:00:00Z#0000000009, where nothing is$/,
  },
  {
    what: 'an alias that does not lead to its bug',
    done: () => remove(aliasKey('alpha-bug')),
    found: /^ALIAS#alpha-bug ALIAS: bug \d+ has it, and it does not lead there$/,
  },
  {
    what: 'an alias that its bug does not have',
    done: () => put({ ...aliasKey('nobody'), bug_id: 1 }),
    found: /^ALIAS#nobody ALIAS: it leads to bug 1, which does not have it$/,
  },
  {
    what: 'an alias of a bug that is not there',
    done: () => put({ ...aliasKey('nobody'), bug_id: 999 }),
    found: /^ALIAS#nobody ALIAS: it leads to bug 999, which is not there$/,
  },
  {
    what: 'a tag that is counted too often',
    done: () => change(tagKey('spam'), { uses: 77 }),
    found: /^TAG#spam TAG: it is on \d comments, and counted 77 times$/,
  },
  {
    what: 'a tag on comments that is not there',
    done: () => remove(tagKey('spam'), ...tagSuffixKeys('spam')),
    found: /^TAG#spam TAG: it is on \d comments, and counted 0 times$/,
  },
  {
    what: 'a tag that is on no comment',
    done: async () => {
      await put({ ...tagKey('Unused'), tag: 'Unused', uses: 2 });
      for (const key of tagSuffixKeys('Unused')) await put({ ...key });
    },
    found: /^TAG#unused TAG: it is on 0 comments, and counted 2 times$/,
  },
  {
    what: 'a tag that is not found by one of its suffixes',
    done: () => remove(...tagSuffixKeys('spam').slice(1, 2)),
    found: /^TAGSUFFIX#p pam#spam: the tag 'spam' is not found by this suffix$/,
  },
  {
    what: 'a suffix of no tag',
    done: () => put({ pk: 'TAGSUFFIX#h', sk: 'host#ghost' }),
    found: /^TAGSUFFIX#h host#ghost: it is a suffix of 'ghost', which is no tag in use$/,
  },
  {
    what: 'what is no suffix at all',
    done: () => put({ pk: 'TAGSUFFIX#x', sk: 'xx#spam' }),
    found: /^TAGSUFFIX#x xx#spam: it is no suffix of 'spam'$/,
  },
  {
    what: 'a user whom the id does not lead to',
    done: () => remove(userIdKey(1)),
    found: /^USERID#1 USERID: '.*' has this id, and it does not lead there$/,
  },
  {
    what: 'an API key that is not listed',
    done: () => remove(userApiKeyKey('plain@example.com', hashOf(keys.plain))),
    found: /^USER#plain@example.com APIKEY#[\da-f]{64}: an API key of 'plain@example.com' is not listed/,
  },
  {
    what: 'an API key that knows its user otherwise',
    done: () =>
      change(
        { pk: `APIKEY#${hashOf(keys.plain)}`, sk: 'APIKEY' },
        { user: { ...plainUser(), groups: ['insiders'] } },
      ),
    found: /^APIKEY#[\da-f]{64} APIKEY: this API key knows 'plain@example.com' otherwise/,
  },
  {
    what: 'a counter that is behind',
    done: () => change(counterKey('comment'), { last: 3 }),
    found: /^COUNTER#comment COUNTER: it is at 3, and \d+ is given$/,
  },
  {
    what: 'a counter that is not there',
    done: () => remove(counterKey('bug')),
    found: /^COUNTER#bug COUNTER: it is at 0, and \d+ is given$/,
  },
];

function firstTimeOf(bug: number): unknown {
  return whole.find(({ pk, count }) => pk === `BUG#${bug}` && count === 0)?.['creation_time'];
}

/** What only somebody who knows more can mend. */
const doubtful: Damage[] = [
  {
    what: 'two products of one name',
    done: () => change(productKey(4), { name: 'Alpha' }),
    found: /^PRODUCTNAME#alpha PRODUCTNAME: it leads to product 2 as 'Alpha'; product 4 is named 'Alpha'$/,
  },
  {
    what: 'a default milestone that there is not',
    done: () => change(productKey(2), { default_milestone: 'Never' }),
    found: /^PRODUCT#2 PRODUCT: its default milestone 'Never' is none of its milestones$/,
  },
  {
    what: 'a lost comment',
    done: () => remove(placeOf(aComment()), commentPointerKey(aComment().id)),
    found: /^BUG#\d+ COMMENT#.*: it is the 3. comment of its bug and has the count 3$/,
  },
  {
    what: 'a lost last comment',
    done: () => remove(commentKey(1, '2024-01-02T04:00:00Z', 3)),
    found: /^BUG#1 BUG: it says 4 comments, .*; there are 3 comments, /,
  },
  {
    what: 'the id of a lost comment, its last trace',
    done: () => remove(commentKey(1, '2024-01-02T04:00:00Z', 3)),
    found:
      /^COMMENT#14 COMMENT: it leads to BUG#1 COMMENT#2024-01-02T04:00:00Z#0000000003, where nothing is$/,
  },
  {
    what: 'an alias that a bug has twice',
    done: () => change(bugKey(1), { aliases: ['alpha-bug', 'Alpha-Bug'] }),
    found: /^BUG#1 BUG: it has the alias 'Alpha-Bug' twice$/,
  },
  {
    what: 'two components of one id',
    done: () => changeParts(4, ({ components }) => components.map((one) => ({ ...one, id: 2 }))),
    found: /^PRODUCT#\d PRODUCT: the component 2 is in PRODUCT#\d too$/,
  },
  {
    what: 'parts of a product that are not in shape',
    done: () => change(productKey(4), { parts: '{"components": 1}' }),
    found: /^PRODUCT#4 PRODUCT: .*must be JSON of parts of a product/,
  },
  {
    what: 'two components of one name',
    done: () =>
      changeParts(4, ({ components }) => [...components, ...components.map((one) => ({ ...one, id: 5 }))]),
    found: /^PRODUCT#4 PRODUCT: two of its components are named 'Core'$/,
  },
  {
    what: 'a group that is named in another spelling',
    done: () => change(bugKey(9), { groups: ['Insiders'] }),
    found: /^BUG#9 BUG: it names the group 'Insiders', which is spelled 'insiders'$/,
  },
  {
    what: 'the id of a group that leads to another',
    done: () => change(groupIdKey(1), { name: 'others' }),
    found: /^GROUPID#1 GROUPID: it leads to the group 'others', which does not have this id$/,
  },
  {
    what: 'a group that is named and not there',
    done: () => remove(groupKey('insiders')),
    found: /^BUG#9 BUG: it names GROUP#insiders GROUP, which is not there$/,
  },
  {
    what: 'a classification that is named and not there',
    done: () => change(productKey(2), { classification: 'Lost' }),
    found: /^PRODUCT#2 PRODUCT: it names CLASSIFICATION#lost CLASSIFICATION, which is not there$/,
  },
  {
    what: 'a bug in a product that is not there',
    done: () => change(bugKey(1), { product_id: 777 }),
    found: /^BUG#1 BUG: it is in PRODUCT#777 PRODUCT, which is not there$/,
  },
  {
    what: 'an alias of two bugs',
    done: () => change(bugKey(9), { aliases: ['Alpha-Bug'] }),
    found: /^ALIAS#alpha-bug ALIAS: it leads to bug \d+; bug 9 has it too$/,
  },
  {
    what: 'an API key of nobody',
    done: () => remove(userKey('plain@example.com')),
    found: /^APIKEY#[\da-f]{64} APIKEY: this API key is one of 'plain@example.com', who is not there$/,
  },
  {
    what: 'an API key that is listed as valid and revoked',
    done: () => change(userApiKeyKey('plain@example.com', hashOf(keys.plain)), { revoked: true }),
    found: /^USER#plain@example.com APIKEY#.*: this API key is listed as revoked, and it is valid$/,
  },
  {
    what: 'an item that lacks something',
    done: async () => {
      const { summary: _, ...rest } = itemAt(bugKey(1));
      await put(rest);
    },
    found: /^BUG#1 BUG: .*summary/,
  },
  {
    what: 'an item in the wrong place',
    done: () => change(bugKey(1), { id: 8 }),
    found: /^BUG#1 BUG: by its content it belongs at BUG#8 BUG$/,
  },
  {
    what: 'an item that is not of Bugless',
    done: () => put({ pk: 'FOREIGN#1', sk: 'THING', is: 'here' }),
    found: /^FOREIGN#1 THING: nothing in Bugless has such a key$/,
  },
];

function plainUser(): Item {
  return itemAt({ pk: `APIKEY#${hashOf(keys.plain)}`, sk: 'APIKEY' })['user'] as Item;
}

/** Without what a repair cannot know: how often a product has changed, what an API key is for. */
const comparable = ({ revision: _, ...item }: Item): Item =>
  'hash' in item ? { ...item, description: '' } : item;

describe('checking a table', () => {
  it('finds nothing where all is well', async () => {
    expect(await wrongsOf(table)).toEqual([]);
  });

  it.each(reparable)('finds and repairs $what, and nothing else', async ({ done, found }) => {
    await done();
    const { repaired, left } = await repairTable(table);
    expect(repaired.map(lineOf)).toContainEqual(expect.stringMatching(found));
    expect(left.found).toEqual([]);
    expect((await allItems(table)).map(comparable)).toEqual(whole.map(comparable));
  });

  it.each(doubtful)('finds $what, and leaves it', async ({ done, found }) => {
    await done();
    const { found: left } = (await repairTable(table)).left;
    const finding = left.find((one) => found.test(lineOf(one)));
    expect(left.map(lineOf)).toContainEqual(expect.stringMatching(found));
    expect(finding?.repair).toBeUndefined();
  });

  it('repairs nothing while an item is out of shape, which others lean on', async () => {
    const { text: _, ...rest } = itemAt(commentKey(1, '2024-01-02T04:00:00Z', 3));
    await put(rest);
    await change(tagKey('spam'), { uses: 77 });
    const damaged = await allItems(table);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContainEqual(expect.stringMatching(/^BUG#1 COMMENT#.*: .*text/));
    expect(await allItems(table)).toEqual(damaged);
  });

  it('tells at most 1,000 of a kind, leaves no kind out, and repairs all of them in the end', async () => {
    const names = Array.from({ length: 1_100 }, (_, place) => `gone ${place}`);
    await write(
      names.map((name) => ({ PutRequest: { Item: { ...productNameKey(name), product_id: 999, name } } })),
    );
    await remove(counterKey('bug'));
    const { found, hasMore } = await checkTable(table);
    expect([found.length, hasMore]).toEqual([1_001, true]);
    expect(found.map(lineOf)).toContain('COUNTER#bug COUNTER: it is at 0, and 9 is given');
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
        expect.stringMatching(/^repairable {2}TAG#spam TAG: it is on \d comments, and counted 77 times$/),
        'violation   FOREIGN#1 THING: nothing in Bugless has such a key',
      ],
    ]);
    expect(stderr).toContain('2 violations found, of which --repair can repair 1');

    const repairing = await admin('check', '--repair', '--json');
    expect(repairing.code).toBe(1);
    expect(JSON.parse(repairing.stdout)).toEqual({
      repaired: [{ item: 'TAG#spam TAG', wrong: expect.stringContaining('counted 77 times') }],
      found: [{ item: 'FOREIGN#1 THING', wrong: expect.any(String), can_be_repaired: false }],
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
