import { expect, it } from 'vitest';
import { serve, startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

it.each([
  ['GET', '/rest/product/2', 200],
  ['GET', '/rest/nosuch', 404],
  ['GET', '/rest/bug/4/comment', 401],
  ['OPTIONS', '/rest/product', 200],
  ['POST', '/rest/product', 401],
])('every response allows any origin and forbids shared caches: %s %s', async (method, path, status) => {
  const { status: answered, headers } = await bugless.call(method, path);
  expect(answered).toBe(status);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=UTF-8',
    'access-control-allow-origin': '*',
    'access-control-allow-headers': expect.stringContaining('x-bugzilla-api-key'),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringMatching(/^max-age=\d+$/),
  });
  expect(headers.has('set-cookie')).toBe(false);
});

it.each([
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html',
  '*/*',
  'text/html;q=x',
  '',
])('responses are JSON for Accept: %j', async (accept) => {
  for (const path of ['/rest/version', '/rest/product', '/rest/bug/9999/comment', '/rest/nothing']) {
    const { headers, body } = await bugless.call('GET', path, { headers: { accept } });
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(body).toBeTypeOf('object');
  }
});

it('a page of another origin gets CORS preflight responses without database access', async () => {
  const cutOff = await serve(bugless.table, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
  const { status, headers } = await cutOff.fetch(`/rest/product/1`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type,x-bugzilla-api-key',
    },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT, OPTIONS');
  expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual(
    expect.arrayContaining([
      ...['content-type', 'x-bugzilla-api-key', 'authorization', 'accept', 'origin', 'x-requested-with'],
      ...['user-agent', 'if-match', 'if-none-match', 'idempotency-key', '*'],
    ]),
  );
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});

it.each([
  'POST /rest/nosuch',
  'POST /rest/version',
  'POST /rest/product/2',
  'PUT /rest/product',
  'PUT /rest/product/2/',
  'PUT /rest/bug/1/comment',
  'POST /rest/bug/comment/10',
  'PATCH /rest/product/2',
])('%s is unknown, whatever its body and its key are', async (request) => {
  const [method = '', path = ''] = request.split(' ');
  for (const body of ['{', '[]', '"text"', '{}']) {
    const reply = await bugless.call(method, path, { key: keys.revoked, body });
    expect([reply.status, reply.body.code]).toEqual([404, 32614]);
  }
});

/** The text of an error names the method, and so has another length. */
const headersOf = ({ headers, status }: Response) => {
  const others = [
    'date',
    'apigw-requestid',
    'connection',
    'keep-alive',
    status >= 400 ? 'content-length' : '',
  ];
  return Object.fromEntries([...headers].filter(([name]) => !others.includes(name)));
};

it.each([
  ['/rest/version', {}],
  ['/rest/product/2', {}],
  ['/show_bug.cgi?id=1', { accept: 'text/html' }],
  ['/rest/product/2', { 'accept-encoding': 'identity', 'x-bugzilla-api-key': keys.admin }],
  ['/rest/product/', {}],
  ['/rest/bug/1', { 'x-bugzilla-api-key': keys.admin }],
  ['/rest/bug/1/comment', {}],
  ['/rest/bug/4/comment', {}],
  ['/rest/bug?product=Alpha', {}],
  ['/rest/nosuch', {}],
])('HEAD %s is answered as GET, without a body', async (path, headers) => {
  const [get, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => bugless.fetch(path, { method, headers })),
  );
  if (get === undefined || head === undefined) return expect.fail();
  expect([await head.text(), (await get.text()).length > 0]).toEqual(['', true]);
  expect([head.status, headersOf(head)]).toEqual([get.status, headersOf(get)]);
});

it('HEAD with If-None-Match is 304, and OPTIONS names it where there is GET', async () => {
  const path = '/rest/product/2';
  const etag = (await bugless.fetch(path)).headers.get('etag') ?? '';
  const { status } = await bugless.fetch(path, { method: 'HEAD', headers: { 'if-none-match': etag } });
  expect(status).toBe(304);
  const { headers } = await bugless.call('OPTIONS', '/rest/product');
  expect(headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
});
