import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { hashOf } from '../../lib/people/repository.ts';
import { parseParts } from '../../lib/products/document.ts';
import type { ComponentItem, ProductParts } from '../../lib/products/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import {
  type Attributes,
  aliasKey,
  attachmentKey,
  attachmentPartKey,
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
} from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite, deleteItem, putItem } from '../../lib/table/write.ts';
import { adminOf, type CommandResult, runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { violationsOf } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { restore } from '../support/restore-table.ts';
import { sample } from '../support/sample.ts';
import { aBug, aComment, aFile, aProduct } from '../support/small-catalogue.ts';
import { allItems, keyOf } from '../support/table-items.ts';

const PLAIN = 'plain@example.com';

const comment = (id: number, more: object = {}) =>
  aComment(`Comment ${id}`, { id, creation_time: `2024-01-02T0${id % 10}:00:00Z`, ...more });
const product = (id: number, name: string) => aProduct(id, name, { milestones: [{ id, name: 'M' }] });

const TIME = '2024-01-02T03:04:05Z';
const FLAG = {
  ...{ id: 3, type_id: 1, name: 'review', status: '?', setter: PLAIN },
  ...{ creation_date: TIME, modification_date: TIME },
};
const ATTACHMENT = aFile(5, { creator: PLAIN });

const catalogue = parseNumbered({
  groups: [{ id: 1, name: 'insiders' }],
  users: [{ id: 1, login: PLAIN, api_keys: [{ key: keys.plain }] }],
  products: [
    { ...product(2, 'Alpha'), flag_types: [{ id: 1, name: 'review', target: 'bug' }] },
    product(4, 'Beta'),
  ],
  bugs: [
    aBug(1, {
      aliases: ['alpha-bug'],
      flags: [FLAG],
      attachments: [ATTACHMENT],
      comments: [comment(11, { tags: ['spam'] }), comment(12, { work_time: 1.5 }), comment(13), comment(14)],
    }),
    aBug(9, { groups: ['insiders'], comments: [comment(21, { tags: ['spam'] })] }),
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

async function remove(...gone: Key[]): Promise<void> {
  for (const key of gone) await deleteItem(table, key);
}
const put = (item: Item) => putItem(table, item);

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
function storedComment(): Item & { id: number; bug_id: number; creation_time: string; count: number } {
  const found = original.find(({ sk, count }) => String(sk).startsWith('COMMENT#') && count === 2);
  return found as ReturnType<typeof storedComment>;
}
/** An item, what is wrong with it as it is reported, and how it came: it is gone, it has other fields, or a damage elsewhere. */
type Case = [
  item: Key | RegExp,
  violation: string | RegExp,
  damage: 'gone' | Attributes | (() => Promise<unknown>),
];

const damaged = async ([item, , damage]: Case): Promise<unknown> => {
  if (typeof damage === 'function') return damage();
  if (item instanceof RegExp) throw new Error(`${item} names no item`);
  if (damage === 'gone') return remove(item);
  return put({ ...original.find((one) => keyOf(one) === keyOf({ ...item })), ...item, ...damage });
};

/** What the line of a finding matches. */
function lineOfCase([item, violation]: Case) {
  const quoted = (text: string) => text.replaceAll(/[\^$.*+?()[\]{}|]/g, '\\$&');
  const start = item instanceof RegExp ? item.source : `^${quoted(keyOf({ ...item }))}`;
  return new RegExp(
    `${start}: ${typeof violation === 'string' ? `${quoted(violation)}$` : violation.source}`,
  );
}

/** Each list has what can be wrong at the same time. */
const repairableCases: Case[][] = [
  [
    [groupIdKey(1), 'is missing; GROUP#insiders GROUP should have it', 'gone'],
    [productNameKey('Alpha'), 'is missing; PRODUCT#2 PRODUCT should have it', 'gone'],
    [
      productNameKey('Gone'),
      'points to PRODUCT#999 PRODUCT, which does not exist',
      { product_id: 999, name: 'Gone' },
    ],
    [
      productNameKey('Older'),
      'points to PRODUCT#2 PRODUCT, which has PRODUCTNAME#alpha PRODUCTNAME',
      { product_id: 2, name: 'Older' },
    ],
    [productIndexKey(2), 'is missing; PRODUCT#2 PRODUCT should have it', 'gone'],
    [
      productIndexKey(998),
      'points to PRODUCT#998 PRODUCT, which does not exist',
      () => put({ ...itemAt(productIndexKey(2)), ...productIndexKey(998), id: 998 }),
    ],
    [bugKey(1), 'has totals of comment_count 3, expected comment_count 4', { comment_count: 3 }],
    [productPartsKey(4, 'other', 0), 'its product does not refer to it', { parts: NO_PARTS }],
    [
      /^COMMENT#\d+ COMMENT/,
      /is missing; BUG#\d+ COMMENT#\S+ should have it$/,
      () => remove(commentPointerKey(storedComment().id)),
    ],
    [aliasKey('alpha-bug'), 'is missing; BUG#1 BUG should have it', 'gone'],
    [tagKey('spam'), /is on \d comments, its count is 77$/, { uses: 77 }],
    [
      tagKey('unused'),
      'is on 0 comments, its count is 2',
      async () => {
        await put({ ...tagKey('Unused'), tag: 'Unused', uses: 2 });
        for (const key of tagSuffixKeys('Unused')) await put({ ...key });
      },
    ],
    [{ pk: 'TAGSUFFIX#h', sk: 'host#ghost' }, 'points to TAG#ghost TAG, which does not exist', {}],
    [{ pk: 'TAGSUFFIX#x', sk: 'xx#spam' }, /points to TAG#spam TAG, which has TAGSUFFIX#s spam#spam, /, {}],
    [userIdKey(1), /is missing; USER#\S+ USER should have it$/, 'gone'],
    [counterKey('comment'), /is at 3, behind the id \d+$/, { last: 3 }],
    [counterKey('bug'), /is at 0, behind the id \d+$/, 'gone'],
  ],
  [
    [productNameKey('Alpha'), 'differs from PRODUCT#2 PRODUCT in name', { name: 'aLPHA' }],
    [productIndexKey(2), 'differs from PRODUCT#2 PRODUCT in takes_bugs', { takes_bugs: false }],
    [
      bugKey(1),
      /has totals of last_comment_time 2001-01-01T00:00:00Z, /,
      { last_comment_time: '2001-01-01T00:00:00Z' },
    ],
    [
      /^COMMENT#\d+ COMMENT/,
      /differs from BUG#\d+ COMMENT#\S+ in creation_time, count$/,
      () =>
        change(commentPointerKey(storedComment().id), {
          count: 0,
          creation_time: firstTimeOf(storedComment().bug_id),
        }),
    ],
    [aliasKey('stray'), 'points to BUG#1 BUG, which has ALIAS#alpha-bug ALIAS', { bug_id: 1 }],
    [
      tagKey('spam'),
      /is on \d comments, its count is 0$/,
      () => remove(tagKey('spam'), ...tagSuffixKeys('spam')),
    ],
  ],
  [
    [
      productKey(2),
      /has_active_component or has_active_version differs from its parts/,
      { has_active_component: false },
    ],
    [bugKey(1), 'has totals of hours_worked 1.25, expected hours_worked 1.5', { hours_worked: 1.25 }],
    [aliasKey('stray'), 'points to BUG#999 BUG, which does not exist', { bug_id: 999 }],
    [{ pk: 'TAGSUFFIX#p', sk: 'pam#spam' }, 'is missing; TAG#spam TAG should have it', 'gone'],
  ],
  [
    [counterKey('flag'), 'is at 0, behind the id 3', 'gone'],
    [bugKey(1), 'has totals of attachment_count 0, expected attachment_count 1', { attachment_count: 0 }],
  ],
];

function firstTimeOf(bug: number): unknown {
  return original.find(({ pk, count }) => pk === `BUG#${bug}` && count === 0)?.['creation_time'];
}

const FOURTH = commentKey({ bug_id: 1, creation_time: '2024-01-02T04:00:00Z', count: 3 });
const NOWHERE = { bug_id: 900, creation_time: '2024-01-01T00:00:00Z', count: 0 };
const ambiguousCases: Case[][] = [
  [
    [productPartsKey(900, 'any', 0), 'its product does not exist', { parts: NO_PARTS }],
    [
      commentPointerKey(6),
      'points to BUG#1 COMMENT#2020-01-01T00:00:00Z#0000000009, which does not exist',
      { bug_id: 1, creation_time: '2020-01-01T00:00:00Z', count: 9 },
    ],
    [
      bugKey(1),
      /has totals of .*attachment_count 4, expected .*attachment_count 1$/,
      { attachment_count: 4 },
    ],
    [
      commentKey(NOWHERE),
      'its bug does not exist',
      async () => {
        await put({ ...storedComment(), ...commentKey(NOWHERE), ...NOWHERE, id: 5, tags: [] });
        await put({ ...commentPointerKey(5), ...NOWHERE });
      },
    ],
    [
      productNameKey('alpha'),
      'is of PRODUCT#2 PRODUCT, but PRODUCT#4 PRODUCT should have it, too',
      () => change(productKey(4), { name: 'Alpha' }),
    ],
    [productKey(2), "has no milestone 'Never', its default", { default_milestone: 'Never' }],
    [
      /^BUG#\d+ COMMENT#.*/,
      'has the count 3, expected 2',
      () => remove(commentKey(storedComment()), commentPointerKey(storedComment().id)),
    ],
    [bugKey(9), "refers to the group 'Insiders', which is spelled 'insiders'", { groups: ['Insiders'] }],
    [groupIdKey(1), 'points to GROUP#others GROUP, which does not exist', { name: 'others' }],
    [attachmentKey(1, 5), 'has 0 of 1 items of its data', () => remove(attachmentPartKey(5, 0))],
    [
      historyKey(900, '2024-01-01T00:00:00Z', 1),
      'its bug does not exist',
      { bug_id: 900, when: '2024-01-01T00:00:00Z', who: PLAIN, changes: [] },
    ],
    [
      /^APIKEY#[\da-f]{64} APIKEY/,
      "belongs to 'plain@example.com', who does not exist",
      () => remove(userKey(PLAIN)),
    ],
    [
      userApiKeyKey(PLAIN, hashOf(keys.plain)),
      'lists the API key as revoked, but it is valid',
      { revoked: true },
    ],
    [{ pk: 'FOREIGN#1', sk: 'THING' }, 'is of no known kind', { is: 'here' }],
  ],
  [
    [bugKey(1), /has totals of comment_count 4, .*expected comment_count 3, /, () => remove(FOURTH)],
    [
      commentPointerKey(14),
      'points to BUG#1 COMMENT#2024-01-02T04:00:00Z#0000000003, which does not exist',
      () => remove(FOURTH),
    ],
    [bugKey(1), "has the alias 'Alpha-Bug' twice", { aliases: ['alpha-bug', 'Alpha-Bug'] }],
    [
      /^PRODUCT#\d PRODUCT/,
      /component 2 is also in PRODUCT#\d$/,
      () => changeParts(4, ({ components }) => components.map((one) => ({ ...one, id: 2 }))),
    ],
    [bugKey(9), 'refers to GROUP#insiders GROUP, which does not exist', () => remove(groupKey('insiders'))],
    [
      productKey(2),
      'refers to CLASSIFICATION#lost CLASSIFICATION, which does not exist',
      { classification: 'Lost' },
    ],
    [
      attachmentKey(900, 5),
      'its bug does not exist',
      () => put({ ...itemAt(attachmentKey(1, 5)), ...attachmentKey(900, 5), bug_id: 900 }),
    ],
    [
      aliasKey('alpha-bug'),
      'is of BUG#1 BUG, but BUG#9 BUG should have it, too',
      () => change(bugKey(9), { aliases: ['Alpha-Bug'] }),
    ],
  ],
  [
    [productKey(4), /.*must be JSON of parts of a product/, { parts: '{"components": 1}' }],
    [bugKey(1), 'has the component 99, which its product does not have', { component_id: 99 }],
  ],
  [
    [productKey(4), "has two components named 'Core'", () => addComponents((name) => name)],
    [bugKey(1), "is CONFIRMED with the resolution 'FIXED'", { resolution: 'FIXED' }],
  ],
  [
    [productKey(4), "has two components named 'CORE'", () => addComponents((name) => name.toUpperCase())],
    [bugKey(1), 'is VERIFIED without a resolution', { status: 'VERIFIED' }],
  ],
  [
    [
      bugKey(1),
      'is DUPLICATE without a bug that it duplicates',
      { status: 'RESOLVED', resolution: 'DUPLICATE' },
    ],
  ],
  [[bugKey(1), 'is a duplicate of itself', { dupe_of: 1 }]],
  [[bugKey(1), 'depends on itself', { blocks: [1], depends_on: [1] }]],
  [[bugKey(1), 'has negative hours', { remaining_time: -1 }]],
  [[bugKey(1), 'is in PRODUCT#777 PRODUCT, which does not exist', { product_id: 777 }]],
  [[bugKey(1), /.*summary/, () => without(bugKey(1), 'summary')]],
  [[bugKey(1), 'key does not match its content, expected BUG#8 BUG', { id: 8 }]],
];

/** Gives a product its components once more. */
const addComponents = (named: (name: string) => string) =>
  changeParts(4, ({ components }) => [
    ...components,
    ...components.map((one) => ({ ...one, id: 5, name: named(one.name) })),
  ]);

function without(key: Key, attribute: string): Promise<void> {
  const { [attribute]: _, ...rest } = itemAt(key);
  return put(rest as Item);
}

/** Without what a repair cannot restore: the revision of a product, the description of an API key; and what is logged. */
const comparable = ({
  revision: _,
  version: __,
  changed_at: ___,
  logged_at: ____,
  ...item
}: Item): Attributes => ('hash' in item ? { ...item, description: '' } : item);
const isLog = ({ pk }: Item) => pk.startsWith('CHANGED#');
const comparableItems = (items: Item[]) => items.filter((item) => !isLog(item)).map(comparable);

describe('integrity check', () => {
  it('notes a comment on an attachment that does not exist', async () => {
    await put({ ...storedComment(), attachment_id: 77 });
    const { found } = await checkTable(table);
    expect(found.map(({ violation, isNote }) => [violation, isNote])).toEqual([
      ['is about attachment 77, which does not exist', true],
    ]);
  });

  it('finds no violations in a valid table', async () => {
    expect(await violationsOf(table)).toEqual([]);
  });

  it.each(repairableCases.entries().toArray())('finds and repairs what is wrong: %i', async (_, cases) => {
    for (const one of cases) await damaged(one);
    const { repaired, left } = await repairTable(table);
    const lines = repaired.map(lineOf);
    for (const one of cases) expect(lines).toContainEqual(expect.stringMatching(lineOfCase(one)));
    expect(left.found).toEqual([]);
    expect(comparableItems(await allItems(table))).toEqual(comparableItems(original));
  });

  it.each(ambiguousCases.entries().toArray())('finds, and does not repair: %i', async (_, cases) => {
    for (const one of cases) await damaged(one);
    const { found } = await checkTable(table);
    for (const violation of cases.map(lineOfCase)) {
      const finding = found.find((one) => violation.test(lineOf(one)));
      expect(found.map(lineOf)).toContainEqual(expect.stringMatching(violation));
      expect(finding?.repair).toBeUndefined();
    }
  });

  /** One item of each kind. */
  const lostKinds = [
    ...['GROUP# GROUP', 'GROUPID# GROUPID', 'USER# USER', 'USER# APIKEY#', 'USERID# USERID'],
    ...['USERINDEX ENTRY#', 'APIKEY# APIKEY', 'PRODUCT# PRODUCT', 'PRODUCT# PARTS#'],
    ...['PRODUCTNAME# PRODUCTNAME', 'PRODUCTINDEX PRODUCT#', 'BUG#1 BUG', 'BUG#1 COMMENT#'],
    ...['BUG#1 ATTACHMENT#', 'COMMENT# COMMENT', 'ATTACHMENT# ATTACHMENT', 'ATTACHMENTDATA# PART'],
    ...['ALIAS# ALIAS', 'TAG# TAG', 'TAGSUFFIX# '],
  ];

  /** A run with `RUNS` loses each of them, `npm test` each fourth one. */

  it.each(sample(lostKinds, 4))('deletes nothing where an item is lost: %s', async (kind) => {
    const [pk = '', sk = ''] = kind.split(' ');
    // A product whose parts need a further item, whose data was written long ago.
    await put({ ...productPartsKey(2, 'token', 0), parts: NO_PARTS });
    await change(productKey(2), { further_parts: { token: 'token', items: 1 } });
    await change(attachmentPartKey(5, 0), { written_at: TIME });
    const before = await allItems(table);
    const lost = before.find((item) => item.pk.startsWith(pk) && item.sk.startsWith(sk));
    if (lost === undefined) throw new Error(`There is no ${kind}`);
    await remove({ pk: lost.pk, sk: lost.sk });
    await repairTable(table);
    const left = new Set((await allItems(table)).map(keyOf));
    const gone = before.filter((item) => !left.has(keyOf(item)) && keyOf(item) !== keyOf(lost));
    expect(gone.map(keyOf)).toEqual([]);
  });

  it('repairs the search index once where it has a bug that is lost', async () => {
    await remove(bugKey(1));
    let scans = 0;
    const { repaired, left } = await repairTable(table, {
      report: (done, total) => {
        if (done === total) scans += 1;
      },
    });
    const violation = 'SEARCHINDEX MANIFEST: has bugs otherwise than they are, 1 in number: 1';
    expect(repaired.map(lineOf)).not.toContain(violation);
    expect(left.found.map(lineOf)).toContain(violation);
    const { left: again } = await repairTable(table);
    expect(again.found.map(lineOf)).toEqual(left.found.map(lineOf));
    expect(scans).toBeLessThan(30);
  });

  it('reports a lost attachment, and leaves its data, which a comment or a pointer speaks of', async () => {
    await change(attachmentPartKey(5, 0), { written_at: TIME });
    await remove(attachmentKey(1, 5));
    const { left } = await repairTable(table);
    expect(left.found.map(lineOf)).toEqual([
      'BUG#1 BUG: has totals of attachment_count 1, expected attachment_count 0',
      expect.stringMatching(/^ATTACHMENTDATA#.*: is data of attachment 5, which is lost$/),
      'ATTACHMENT#5 ATTACHMENT: points to BUG#1 ATTACHMENT#0000000005, which does not exist',
    ]);
  });

  it.each([
    { age: 'two hours', written: 7_200_000, lines: [] },
    { age: 'two days', written: 172_800_000, lines: [expect.stringContaining('which does not exist')] },
  ])(
    'takes data of an upload for a leftover when it is older than a day: $age',
    async ({ written, lines }) => {
      const written_at = new Date(Date.now() - written).toISOString().replace(/\.\d+Z/, 'Z');
      await put({
        ...itemAt(attachmentPartKey(5, 0)),
        ...attachmentPartKey(77, 0),
        attachment_id: 77,
        written_at,
      });
      const { repaired, left } = await repairTable(table);
      expect([repaired.map(lineOf), left.found]).toEqual([lines, []]);
      expect((await checkTable(table)).found).toEqual([]);
    },
  );

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
    await change(bugKey(1), {
      ...{ status: 'REOPENED', version: 'Never', target_milestone: 'Ever' },
    });
    await change(bugKey(9), {
      ...{ status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: 777 },
    });
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
      'BUG#9 BUG: is a duplicate of bug 777, which does not exist',
    ]);
  });

  it('succeeds with notes alone', async () => {
    await change(bugKey(1), { status: 'REOPENED' });
    // The search index follows.
    await repairTable(table);
    const { code, stdout } = await admin('check');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^note {8}BUG#1 BUG: has the status 'REOPENED'.*\nNo violations found in a table of format 1\n$/,
      ),
    ]);
  });

  it('repairs nothing while an item does not match its schema', async () => {
    await without(FOURTH, 'text');
    await change(tagKey('spam'), { uses: 77 });
    const damaged = await allItems(table);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContainEqual(expect.stringMatching(/^BUG#1 COMMENT#.*: .*text/));
    expect(await allItems(table)).toEqual(damaged);
  });

  it('reports at most so many violations of each check, and repairs all of them', async () => {
    const max = 10;
    const names = Array.from({ length: 25 }, (_, place) => `gone ${place}`);
    await batchWrite(
      table,
      names.map((name) => ({ ...productNameKey(name), product_id: 999, name })),
    );
    await remove(counterKey('bug'));
    const { found, hasMore } = await checkTable(table, { maxFindings: max });
    expect([found.length, hasMore]).toEqual([11, true]);
    expect(found.map(lineOf)).toContain('COUNTER#bug COUNTER: is at 0, behind the id 9');
    const { repaired, left } = await repairTable(table, { maxFindings: max });
    expect([repaired.length, left]).toEqual([26, { found: [], hasMore: false }]);
  });
});

describe('npm run admin -- check', () => {
  it('reports no violations, with code 0', async () => {
    expect(await admin('check')).toMatchObject({
      code: 0,
      stdout: 'No violations found in a table of format 1\n',
    });
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
      format: 1,
    });
    await remove({ pk: 'FOREIGN#1', sk: 'THING' });
    expect((await admin('check')).code).toBe(0);
  });

  it('looks at the checks that --only names, and repairs what they find', async () => {
    await change(tagKey('spam'), { uses: 77 });
    await remove(aliasKey('alpha-bug'));
    const lines = async (...options: string[]) =>
      (await admin('check', ...options)).stdout.trim().split('\n');
    const [tag, alias] = [
      expect.stringContaining('TAG#spam TAG'),
      expect.stringContaining('ALIAS#alpha-bug ALIAS'),
    ];
    expect(await lines('--only', 'tags')).toEqual([tag]);
    expect(await lines('--only', 'pointers', 'tags')).toEqual([alias, tag]);
    expect(await lines('--repair', '--only', 'pointers')).toEqual([
      alias,
      'No violations of pointers found in a table of format 1',
    ]);
    expect(await lines()).toEqual([tag]);
    expect(await admin('check', '--only', 'everything')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ids, bugs, attachments'),
    });
    const withoutWords = {
      TABLE_NAME: table.name,
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      INDEX_COMMENTS: 'false',
    };
    expect(await runAdmin(['check', '--only', 'words'], withoutWords)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no index of words'),
    });
  });

  it('takes no arguments', async () => {
    expect(await admin('check', 'everything')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too many arguments'),
    });
  });
});
