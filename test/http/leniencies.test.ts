import { describe, expect, it } from 'vitest';
import { startBugless, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { clientOf, FILE, NEW_BUG } from '../support/client.ts';
import { copyBug } from '../support/copy-bug.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { times } from '../support/times.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS));

const { call: send, read, done, outcome, create } = clientOf(bugless, keys);

it('parts of a bug that is named again and again are counted each time', async () => {
  const id = await create();
  for (let count = 0; count < 5; count += 1) {
    await done('POST', `/rest/bug/${id}/comment`, { comment: 'x'.repeat(65_000) });
  }
  const path = `/rest/bug/${id}?include_fields=id,comments`;
  await done('GET', path, undefined, 'nobody');
  const often = path + `&ids=${id}`.repeat(80);
  expect(await outcome('GET', often, undefined, 'nobody')).toEqual([400, 32000]);
});

describe('a new bug', () => {
  it('has no tags of callers who may not tag', async () => {
    const id = await create({ comment_tags: ['tag'] }, 'noedit');
    const { bugs } = await read(`/rest/bug/${id}/comment`);
    expect(bugs[id].comments[0].tags).toEqual([]);
  });

  it.each(['defect', null])('ignores the type %s, as an update does', async (type) => {
    await done('PUT', `/rest/bug/${await create({ type })}`, { type });
  });
});

describe('bytes that are no UTF-8', () => {
  const key = keys.get('admin') ?? '';
  const sendText = async (method: string, target: string, body: string | undefined, type: string) => {
    const headers = { 'x-bugzilla-api-key': key, 'content-type': type };
    const bytes = body === undefined ? undefined : Buffer.from(body, 'latin1');
    const reply = await bugless.send({ method, target, headers, body: bytes });
    return { status: reply.status, body: JSON.parse(reply.body.toString()) };
  };
  const FORM = 'application/x-www-form-urlencoded';
  const JSON_TYPE = 'application/json';
  const UTF8 = Buffer.from('é€').toString('latin1');

  it.each([
    ['a query', 'POST', '?comment=caf%E9%80', undefined, '', 'café€'],
    ['a query of which one value is UTF-8', 'POST', '?comment=%C3%A9&x=%E9', undefined, '', 'é'],
    ['a form', 'POST', '', 'comment=caf%E9+E&x=%C3%A9', FORM, 'café E'],
    ['bytes of a form', 'POST', '', 'comment=caf\xe9', FORM, 'café'],
    ['a form that says so', 'POST', '', 'comment=%C3%A9', `${FORM}; charset=ISO-8859-1`, 'Ã©'],
    ['JSON', 'POST', '', '{"comment":"caf\xe9 \x80"}', JSON_TYPE, 'café €'],
    ['JSON without a type', 'POST', '', '{"comment":"caf\xe9"}', '', 'café'],
    ['JSON that claims to be UTF-8', 'POST', '', '{"comment":"\xe9"}', `${JSON_TYPE}; charset=utf-8`, 'é'],
    [
      'JSON that says so',
      'POST',
      '',
      `{"comment":"${UTF8}"}`,
      `${JSON_TYPE};charset="Windows-1252"`,
      'Ã©â‚¬',
    ],
    [
      'JSON of which one value is UTF-8',
      'POST',
      '',
      `{"\xe9":"\xe9\\"","comment":"${UTF8}"}`,
      JSON_TYPE,
      'é€',
    ],
  ])('are Windows-1252 in %s', async (_, method, query, body, type, text) => {
    const made = await sendText(method, `/rest/bug/8/comment${query}`, body, type);
    expect(made.status).toBe(201);
    const { comments } = await read(`/rest/bug/comment/${made.body.id}`);
    expect(comments[made.body.id].text).toBe(text);
  });

  it.each([
    ['a path', '/rest/product/%DCn%EFcode%20Pr%F6d%FCct', 'products'],
    ['a path with doubled slashes', '//rest/product/%DCn%EFcode%20Pr%F6d%FCct', undefined],
    ['a query of names', '/rest/product?names=%DCn%EFcode%20Pr%F6d%FCct', 'products'],
    ['a search', '/rest/bug?product=%DCn%EFcode%20Pr%F6d%FCct', 'bugs'],
    ['a chart', '/rest/bug?f1=product&o1=equals&v1=%DCn%EFcode+Pr%F6d%FCct', 'bugs'],
  ])('name what they mean in %s', async (_, target, list) => {
    const reply = await bugless.send({ method: 'GET', target, headers: {}, body: undefined });
    if (list === undefined) {
      expect([reply.status, reply.headers['location']]).toEqual([
        308,
        expect.stringContaining('%C3%9Cn%C3%AFcode'),
      ]);
    } else expect(JSON.parse(reply.body.toString())[list]).toHaveLength(1);
  });

  it.each([
    ['of another charset', '{"comment":"\x93\xfa"}', `${JSON_TYPE}; charset=Shift_JIS`],
    ['with a byte order mark', '\xef\xbb\xbf{"comment":"a"}', JSON_TYPE],
    ['outside of texts', '{"comment":"a"}\xe9', JSON_TYPE],
    ['in a text without end', '{"comment":"\xe9', JSON_TYPE],
  ])('are refused %s', async (_, body, type) =>
    expect(await sendText('POST', '/rest/bug/8/comment', body, type)).toMatchObject({
      status: 400,
      body: { code: 32000 },
    }),
  );
});

const ignored = async (method: string, path: string, body: object) =>
  (await send(method, path, body)).headers.get('x-bugless-ignored');
const flags = [{ name: 'needinfo', status: '?', requester: 'x' }];

it.each([
  ['PUT', '/rest/bug/9', { cf_tracking_99: '?', whiteboard: 'a' }, 'cf_tracking_99'],
  ['PUT', '/rest/bug/9', { cf_gone: 'x', cf_text: 'b', nosuch: 1 }, 'nosuch, cf_gone'],
  ['PUT', '/rest/bug/9', { ids: [8], cf_tracking_99: '?' }, 'cf_tracking_99'],
  [
    'PUT',
    '/rest/bug/9',
    { comment: { body: 'c', private: true, count: 1 } },
    'comment.private, comment.count',
  ],
  ['PUT', '/rest/bug/9', { keywords: { added: ['easy'], add: ['easy'] } }, 'keywords.added'],
  ['PUT', '/rest/bug/9', { groups: { addd: [] }, cc: { plus: [] } }, 'cc.plus, groups.addd'],
  ['PUT', '/rest/bug/9', { cf_multi: { add: ['red'], delete: ['Blue'] } }, 'cf_multi.delete'],
  ['PUT', '/rest/bug/9', { flags }, 'flags.requester'],
  ['PUT', '/rest/bug/9', { comment: 'all known', keywords: { set: [] } }, null],
  ['POST', '/rest/bug', { ...NEW_BUG, flags }, 'flags.requester'],
  ['PUT', '/rest/bug/attachment/1', { flags: [{ name: 'review', status: '?', by: 'x' }] }, 'flags.by'],
  [
    'POST',
    '/rest/bug/9/attachment',
    { ...FILE, flags: [{ name: 'review', status: '?', by: 'x' }] },
    'flags.by',
  ],
])('what a request ignores is named %s %s %j', async (method, path, body, names) => {
  expect(await ignored(method, path, body)).toBe(names);
});

describe('all of a bug in one response', () => {
  it.each([
    ['by its id', '/rest/bug/47?'],
    ['found', '/rest/bug?id=47&'],
    ['found by the index', '/rest/bug?summary=Attachments%20of%20all&'],
  ])('has comments, history and attachments, %s', async (_, path) => {
    const [anonymous, insider] = await Promise.all(
      ['nobody', 'insider'].map(async (as) => {
        const body = await read(`${path}include_fields=id,comments,history,attachments,comment_count`, as);
        return body.bugs[0];
      }),
    );
    const { comments } = (await read('/rest/bug/47/comment', 'insider')).bugs[47];
    const { history } = (await read('/rest/bug/47/history', 'insider')).bugs[0];
    const attachments = (await read('/rest/bug/47/attachment?exclude_fields=data', 'insider')).bugs[47];
    expect(insider).toEqual({ id: 47, comment_count: comments.length, comments, history, attachments });
    expect(anonymous.comment_count).toBe(insider.comment_count);
    expect(anonymous.comments).toEqual(
      insider.comments.filter((one: { is_private: boolean }) => !one.is_private),
    );
    expect(anonymous.attachments.length).toBeLessThan(insider.attachments.length);
  });

  it('has selected fields of them, and none that are not named', async () => {
    const { bugs } = await read('/rest/bug/1?include_fields=id,comments.count,history.who');
    expect(bugs[0].comments[0]).toEqual({ count: 0 });
    expect(bugs[0].history[0]).toEqual({ who: 'user@example.com' });
    const whole = await read('/rest/bug/1?include_fields=_all');
    expect(whole.bugs[0]).not.toHaveProperty('comments');
    const without = await read('/rest/bug/1?include_fields=id,history&exclude_fields=history');
    expect(without.bugs[0]).toEqual({ id: 1 });
  });

  it('is bounded', async () => {
    const { bugs } = await read('/rest/bug/?ids=1&ids=1&include_fields=comments.id');
    expect(bugs[0]).toEqual(bugs[1]);
    const many = await startBugless(catalogue(), RECORDED_SETTINGS);
    await copyBug(
      many.table,
      times(60, (n) => 5_000 + n),
    );
    const { status, body } = await many.call('GET', '/rest/bug?include_fields=comments', {
      key: keys.get('admin'),
    });
    expect([status, body.code]).toEqual([400, 32000]);
    expect(body.message).toContain('at most 100 bugs with comments');
  });
});

it.each([
  ['with a limit', 'product=beta&limit=1', true],
  ['with an order', 'product=Alpha&limit=2&offset=2&order=priority', true],
  ['behind the last hit', 'product=beta&limit=5&offset=1000', true],
  ['of an empty list', 'product=nosuch&limit=1', true],
  ['without a limit', 'product=beta', false],
  ['on demand', 'product=beta&count_total=1', true],
  ['where all have to be read', 'product=beta&longdesc=Description&longdesc_type=regexp&limit=1', false],
  [
    'on demand where all have to be read',
    'product=beta&longdesc=Description&longdesc_type=regexp&limit=1&count_total=1',
    true,
  ],
])('the total beside the hits is there %s: %s', async (_, query, isThere) => {
  const found = await read(`/rest/bug?${query}&include_fields=id`);
  const { bug_count } = await read(`/rest/bug?${query.replace(/&(limit|offset)=\d+/g, '')}&count_only=1`);
  expect(found.total_matches).toBe(isThere ? bug_count : undefined);
});

it.each([
  { given: 1, status: 200 },
  { given: '1', status: 200 },
  { given: null, status: 200 },
  { given: 2, status: 400 },
])('an update of an attachment may repeat the id of the path: $given', async ({ given, status }) => {
  const body = { attachment_id: given, summary: `As ${given}` };
  expect((await send('PUT', '/rest/bug/attachment/1', body)).status).toBe(status);
  expect((await read('/rest/bug/attachment/2')).attachments[2].summary).not.toBe(`As ${given}`);
});

it.each([
  ['true', true],
  ['false', false],
  ['False', false],
])('a search reads the text %s as a boolean', async (text, isCounted) => {
  expect('bug_count' in (await read(`/rest/bug?product=Alpha&count_only=${text}`))).toBe(isCounted);
});

it('leaves the table without violations', async () => {
  await expectNoViolations(bugless.table);
});
