import { describe, expect, it } from 'vitest';
import { anyItem, scanPages } from '../../lib/table/read.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { times } from '../support/times.ts';

const ADMIN = 'AdminKey00000000000000000000000000000000';
const SECRET = 'SecretKey0000000000000000000000000000000';

const bugless = useStarted(startBuglessWithPermissions);

const post = (path: string, body: object, idempotencyKey?: string, key = ADMIN) =>
  bugless.call('POST', path, {
    key,
    body,
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  });

async function items(start: string): Promise<Record<string, unknown>[]> {
  const found = [];
  for await (const page of scanPages(bugless.table, anyItem)) {
    found.push(...page.filter(({ pk, sk }) => `${pk} ${sk}`.startsWith(start)));
  }
  return found;
}

const product = (name: string) => ({ name, description: 'd', version: '1' });
const bug = { product: 'Alpha', component: 'Core', summary: 'Once', version: '1.0', description: 'only' };

const file = { file_name: 'f', content_type: 'text/plain', data: 'aGVsbG8K', ids: [8] };
const user = (name: string) => ({ email: `${name}@example.com`, password: 'secret' });
const component = (name: string) => ({
  product: 'Alpha',
  name,
  description: 'd',
  default_assignee: 'user@example.com',
});
const flagType = (name: string) => ({ name, description: 'd', target_type: 'bug', inclusions: ['Alpha'] });

/** Bugzilla responds with 200 to a created bug, and with 201 to anything else that is created. */
const statusOf = (path: string) => (path === '/rest/bug' ? 200 : 201);

describe('a POST with an Idempotency-Key', () => {
  it.each<[path: string, bodyOf: (name: string) => object, written: string]>([
    ['/rest/product', product, 'PRODUCTNAME#once '],
    ['/rest/bug/9/comment', (comment) => ({ comment }), 'BUG#9 COMMENT#2'],
    ['/rest/bug', (name) => ({ ...bug, alias: name }), 'ALIAS#once '],
    ['/rest/bug/9/attachment', (summary) => ({ ...file, summary }), 'BUG#9 ATTACHMENT#'],
    ['/rest/group', (name) => ({ name, description: 'd' }), 'GROUP#once '],
    ['/rest/user', user, 'USER#once@example.com USER'],
    ['/rest/component', component, ''],
    ['/rest/flag_type', flagType, ''],
    ['/rest/bugless/version', (name) => ({ product: 'Alpha', name }), ''],
    ['/rest/bugless/milestone', (name) => ({ product: 'Alpha', name }), ''],
    ['/rest/bugless/keyword', (name) => ({ name, description: 'd' }), 'KEYWORDS KEYWORD#once'],
    ['/rest/bugless/saved_searches', (name) => ({ name, query: 'product=Alpha' }), ''],
  ])('happens once, and gives the first answer again: %s', async (path, bodyOf, written) => {
    const before = (await items(written)).length;
    const first = await post(path, bodyOf('once'), `key of ${path}`);
    const again = await post(path, bodyOf('once'), `key of ${path}`);
    expect(first.status).toBe(statusOf(path));
    expect([again.status, again.body]).toEqual([statusOf(path), first.body]);
    if (written !== '') expect((await items(written)).length).toBe(before + 1);
    const send = () => post(path, bodyOf('at-once'), `at once ${path}`);
    const replies = await Promise.all(times(4, send));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([statusOf(path)]));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
  });

  it('is refused when the key was used for another request', async () => {
    await post('/rest/bug/9/comment', { comment: 'this' }, 'reused');
    for (const [path, body] of [
      ['/rest/bug/9/comment', { comment: 'that' }],
      ['/rest/bug/7/comment', { comment: 'this' }],
      // Refused for the key, not for their own faults.
      ['/rest/bug/9/comment', { comment: '' }],
      ['/rest/bug/99999/comment', { comment: 'this' }],
    ] as const) {
      const { status, body: answer } = await post(path, body, 'reused');
      expect([status, answer.code, answer.error]).toEqual([422, 32000, true]);
    }
  });

  it('is scoped to its user, irrespective of how the API key is sent', async () => {
    const mine = await post('/rest/bug/9/comment', { comment: 'same' }, 'shared');
    const theirs = await post('/rest/bug/9/comment', { comment: 'same' }, 'shared', SECRET);
    expect(theirs.body.id).not.toBe(mine.body.id);
    const inBody = await bugless.call('POST', '/rest/bug/9/comment', {
      body: { api_key: ADMIN, comment: 'same' },
      headers: { 'idempotency-key': 'shared' },
    });
    expect(inBody.body.id).toBe(mine.body.id);
  });

  it('may succeed after a refused request', async () => {
    expect((await post('/rest/product', product(' '), 'second try')).body.code).toBe(700);
    expect((await post('/rest/product', product('Second try'), 'second try')).status).toBe(201);
  });

  it('expires after 24 hours by the TTL of the table', async () => {
    await post('/rest/bug/9/comment', { comment: 'forget' }, 'forget');
    const [item] = (await items('IDEMPOTENCY#1 ')).slice(-1);
    const hours = (Number(item?.['expires_at']) - Date.now() / 1_000) / 3_600;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
  });
});

it('a POST without an Idempotency-Key is executed each time, and stores no record', async () => {
  const before = (await items('IDEMPOTENCY#')).length;
  const [a, b] = [
    await post('/rest/bug/9/comment', { comment: 'twice' }),
    await post('/rest/bug/9/comment', { comment: 'twice' }, ' '),
  ];
  expect(a.body.id).not.toBe(b.body.id);
  expect((await items('IDEMPOTENCY#')).length).toBe(before);
});
