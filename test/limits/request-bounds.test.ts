import { beforeAll, describe, expect, it } from 'vitest';
import { userIndexEntry } from '../../lib/people/user-index.ts';
import { attachmentKey, bugKey, historyKey, userIndexKey, userKey } from '../../lib/table/keys.ts';
import { batchWrite, updateItem } from '../../lib/table/write.ts';
import { type Bugless, serve, startBugless, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { sample } from '../support/sample.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const NEW = {
  product: 'Alpha',
  component: 'Core',
  version: '1',
  summary: 's',
  op_sys: 'All',
  platform: 'All',
};

let bugless: Bugless;
let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await useFaultProxy();
  bugless = await startBugless(undefined, { DYNAMODB_ENDPOINT: proxy.endpoint });
});

const RESOURCES: [path: string, bugs: number][] = [
  ['/rest/bug/1/attachment', 100],
  ['/rest/bug/1/comment', 500],
  ['/rest/bug/1/history', 100],
];

it('a bug is read whole, repeated, as long as all of them take at most 20 MB', async () => {
  const bugs = [aBug(1, { whiteboard: 'x'.repeat(65_000), url: 'x'.repeat(65_000) })];
  const { call } = await startBugless(parseNumbered({ products: [aProduct()], bugs }));
  const read = (count: number) => call('GET', `/rest/bug/1?${times(count, () => 'ids=1').join('&')}`);
  expect((await read(20)).body.bugs).toHaveLength(21);
  expect(await read(250)).toMatchObject({ status: 400, body: { code: 32000 } });
});

it.each(RESOURCES)('%s is refused for more than %i bugs, before any is read', async (path, max) => {
  const before = proxy.calls.filter(({ operation }) => operation === 'BatchGetItem').length;
  const query = times(max, (at) => `ids=${at + 2}`).join('&');
  const { status, body } = await bugless.call('GET', `${path}?${query}`);
  expect([status, body.code, body.message]).toEqual([400, 32000, expect.stringContaining(`${max} bugs`)]);
  expect(proxy.calls.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(before);
});

it('a list of values is read in proportion to its length, however many values are legal', async () => {
  const key = 'k'.repeat(40);
  const values = times(500, (at) => ({ name: `v${at}` }));
  const catalogue = parseCompleteCatalogue({
    users: [{ login: REPORTER, api_keys: [{ key }] }],
    products: [aProduct()],
    bug_fields: [{ name: 'cf_many', display_name: 'Many', type: 3, values }],
  });
  const { call } = await startBugless(catalogue);
  // A look-up among all values for each would take longer than a request may.
  const cf_many = 'v499,'.repeat(500_000);
  const body = { product: 'Alpha', component: 'Core', version: '1', summary: 'New', cf_many };
  const { body: created } = await call('POST', '/rest/bug', { key, body });
  const { body: read } = await call('GET', `/rest/bug/${created.id}`);
  expect(read.bugs[0].cf_many).toEqual(['v499']);
});

describe('what a request reads of lists whose length others decide', () => {
  const MANY = 48;
  const LONG = 'x'.repeat(300_000);
  const time = '2024-01-02T03:04:05Z';
  const ATTACHMENT = {
    bug_id: 1,
    file_name: LONG,
    summary: 's',
    content_type: 'text/plain',
    size: 1,
    parts: 1,
  };
  const INSIDERS = 'insiders';

  beforeAll(async () => {
    const attachments = times(MANY, (n) => ({
      ...attachmentKey(1, 5_000 + n),
      ...ATTACHMENT,
      ...{ id: 5_000 + n, creator: REPORTER, creation_time: time, last_change_time: time, revision: 0 },
      ...{ is_patch: false, is_private: false, is_obsolete: false, flags: [] },
    }));
    const changes = [{ field_name: 'whiteboard', removed: '', added: LONG }];
    const histories = times(MANY, (n) => ({
      ...historyKey(1, time, 5_000 + n),
      ...{ bug_id: 1, when: time, who: REPORTER, changes },
    }));
    const users = times(MANY, (n) => {
      const user = { id: 50_000 + n, login: `long${n}@example.com`, real_name: LONG, groups: [INSIDERS] };
      return [
        { ...userKey(user.login), ...user },
        { ...userIndexKey(user.id), ...userIndexEntry({ ...user, real_name: '' }) },
      ];
    });
    await batchWrite(bugless.table, [...attachments, ...histories, ...users.flat()]);
    const count = { update: bugKey(1), set: 'SET attachment_count = :count', values: { ':count': MANY } };
    await updateItem(bugless.table, count);
  });

  it.each([
    ['the histories of bugs', '/rest/bug/1/history?ids=2&ids=3', undefined],
    ['the attachments of bugs', '/rest/bug/1/attachment?exclude_fields=data&ids=2&ids=3', undefined],
    ['the members of a group', `/rest/user?groups=${INSIDERS}`, keys.insider],
    ['the members of a group in a search', `/rest/bug?assigned_to=%25group.${INSIDERS}%25`, keys.insider],
    ['the files of bugs', '/rest/bug?id=1&f1=attachments.filename&o1=substring&v1=y', undefined],
  ])('is bounded: %s', async (_, path, key) => {
    const before = proxy.calls.length;
    const { status, body } = await bugless.call('GET', path, { key });
    expect([status, body.code, body.message]).toEqual([
      400,
      32_000,
      expect.stringContaining('at most 13 MB'),
    ]);
    // Pages of 1 MB, or of some users.
    expect(proxy.calls.length - before).toBeLessThan(40);
  });

  it('leaves comments readable: those on further attachments show the summary of their time', async () => {
    const before = proxy.calls.length;
    const { status, body } = await bugless.call('GET', '/rest/bug/1/comment');
    expect([status, body.bugs[1].comments.length > 0]).toEqual([200, true]);
    expect(proxy.calls.length - before).toBeLessThan(15);
  });

  it('is nothing for a caller who may not see the bug', async () => {
    await updateItem(bugless.table, {
      ...{ update: bugKey(1), set: 'SET #groups = :groups', names: { '#groups': 'groups' } },
      values: { ':groups': [INSIDERS] },
    });
    for (const path of ['/rest/bug/1/comment', '/rest/bug/1/attachment', '/rest/bug/1/history']) {
      const before = proxy.calls.length;
      const { status, body } = await bugless.call('GET', path);
      expect([path, status, body.code]).toEqual([path, 401, 102]);
      expect(proxy.calls.length - before).toBeLessThan(4);
    }
  });
});

describe('a bug that takes nearly all of its item', () => {
  const url = (n: number) => `https://bugs.example.org/${'x'.repeat(200)}/show_bug.cgi?id=${n}`;
  let next = 1_000;
  let urlLength = 65_000;
  const KEYWORD = 'k'.repeat(64);
  const admin = 'A'.repeat(40);
  const reporter = 'R'.repeat(40);
  const full = useStarted(() =>
    startBugless(
      parseNumbered({
        groups: [{ name: 'editbugs' }],
        users: [
          { login: 'admin@example.com', groups: ['editbugs'], api_keys: [{ key: admin }] },
          { login: REPORTER, api_keys: [{ key: reporter }] },
        ],
        keywords: [{ name: KEYWORD }],
        products: [{ ...aProduct(), flag_types: [{ id: 1, name: 'review', target: 'bug' }] }],
        bugs: [
          aBug(1, { whiteboard: 'x'.repeat(65_000), url: 'x'.repeat(urlLength) }),
          aBug(2),
          aBug(3),
          aBug(4),
        ],
      }),
    ),
  );
  const change = (id: number, body: object, key = admin) =>
    full.call('PUT', `/rest/bug/${id}`, { key, body });

  it('cannot be filled by its reporter, four addresses at a time', async () => {
    const add = (count: number) =>
      change(1, { see_also: { add: times(count, () => url(next++)) } }, reporter);
    for (const count of [100, 20]) while ((await add(count)).status === 200);
    let reply = await add(4);
    while (reply.status === 200) reply = await add(4);
    expect([reply.body.code, reply.body.message]).toEqual([32_000, expect.stringContaining('350 KB')]);
  });

  let filled: Promise<void> | undefined;
  async function fill(): Promise<void> {
    while ((await change(1, { see_also: { add: [url(next++)] } })).status === 200);
    // Until the last byte of what other fields may take.
    for (const more of [256, 128, 64, 32, 16, 8, 4, 2, 1]) {
      const { status } = await change(1, { url: 'x'.repeat(urlLength + more) });
      if (status === 200) urlLength += more;
    }
  }

  it.each<[string, number, object]>([
    ['addresses', 1, { see_also: { add: [url(1)] } }],
    ['addresses, among several bugs', 2, { ids: [1], see_also: { add: [url(1)] } }],
    ['an address of another bug here', 1, { see_also: { add: ['3'] } }],
    ['the address of a bug that refers to it', 3, { see_also: { add: ['1'] } }],
    ['users on CC', 1, { cc: { add: ['admin@example.com'] } }],
    ['an alias', 1, { alias: { add: ['full-bug'] } }],
    ['a flag', 1, { flags: [{ name: 'review', status: '?' }] }],
    ['a keyword', 1, { keywords: { add: [KEYWORD] } }],
    ['a longer summary', 1, { summary: 'x'.repeat(255) }],
  ])('gets no %s', async (_, id, body) => {
    filled ??= fill();
    await filled;
    const reply = await change(id, body);
    expect([reply.status, reply.body.code]).toEqual([400, 32_000]);
  });

  it.each<[string, number, object]>([
    ['a dependency', 1, { depends_on: { add: [2] } }],
    ['a dependency at its other end', 3, { depends_on: { add: [1] } }],
    ['a comment', 1, { comment: { body: 'Still open' } }],
    ['a resolution', 1, { status: 'RESOLVED', resolution: 'FIXED' }],
    ['another status', 1, { status: 'CONFIRMED' }],
    ['what it duplicates', 1, { dupe_of: 4 }],
    ['a shorter whiteboard', 1, { whiteboard: 'short' }],
  ])('gets %s', async (_, id, body) => {
    expect(await change(id, body)).toMatchObject({ status: 200 });
  });
});

describe('the words of a comment that a request adds to many bugs', () => {
  const key = 'A'.repeat(40);
  const many = useStarted(() =>
    startBugless(
      parseNumbered({
        groups: [{ name: 'editbugs' }],
        users: [{ login: 'admin@example.com', groups: ['editbugs'], api_keys: [{ key }] }],
        products: [aProduct()],
        bugs: times(20, (n) => aBug(n + 1)),
      }),
      { MAX_WRITE_REQUEST_UNITS: '20000' },
    ),
  );
  const ids = times(9, (n) => n + 2);
  const words = (count: number, prefix: string) => times(count, (n) => `${prefix}word${n}`).join(' ');
  const send = (method: string, path: string, body: object) => many.call(method, path, { key, body });
  const file = { file_name: 'f', summary: 's', content_type: 'text/plain', data: 'YQ==' };
  const postings = async () => (await allItems(many.table)).filter(({ pk }) => pk.startsWith('WORD#')).length;

  it.each<[string, string, string, (text: string) => object]>([
    ['PUT of bugs', 'PUT', '/rest/bug/1', (body) => ({ ids, comment: { body } })],
    [
      'PUT of bugs, with another change',
      'PUT',
      '/rest/bug/1',
      (body) => ({ ids, comment: { body }, url: 'x' }),
    ],
    ['POST of attachments', 'POST', '/rest/bug/1/attachment', (comment) => ({ ...file, ids, comment })],
  ])('are refused when they are too many, before any is written: %s', async (what, method, path, body) => {
    const before = await postings();
    for (const count of [1_900, 700]) {
      const text = words(count, what.replace(/\W/g, ''));
      const reply = await send(method, path, body(text));
      expect([reply.status, reply.body.code, reply.body.message]).toEqual([
        400,
        32_000,
        expect.stringMatching(/(8000|4000) words/),
      ]);
    }
    expect(await postings()).toBe(before);
    const { status } = await send(method, path, body(words(100, what.replace(/\W/g, ''))));
    expect(status).toBeLessThan(300);
  });

  const largest: [string, string, (text: string) => object][] = [
    ['POST', '/rest/bug/1/comment', (comment) => ({ comment })],
    ['POST', '/rest/bug', (description) => ({ ...NEW, description })],
    ['PUT', '/rest/bug/1', (body) => ({ comment: { body } })],
  ];
  it.each(sample(largest, 2))(
    'are accepted of the largest comment of one bug: %s %s',
    async (method, path, body) => {
      const { status } = await send(method, path, body(words(2_500, method + path.length)));
      expect(status).toBeLessThan(300);
    },
  );

  it('are refused when the table does not write them in time', async () => {
    const slow = await serve(many.table, { MAX_WRITE_REQUEST_UNITS: '40' });
    const body = { comment: words(1_000, 'slow') };
    const reply = await slow.call('POST', '/rest/bug/3/comment', { key, body });
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining('words that are new')]);
  });
});
