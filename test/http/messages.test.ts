import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

it.each([
  ['DELETE /rest/bug/1', undefined, 'Its path has GET, HEAD, PUT'],
  ['POST /rest/version', undefined, 'Its path has GET, HEAD'],
  ['GET /rest/bugs', undefined, "There is '/rest/bug'"],
  ['GET /rest/products/2', undefined, "There is '/rest/product/2'"],
  ['GET /product', undefined, "There is '/rest/product'"],
  ['GET /rest/version/', undefined, "There is '/rest/version'"],
  ['GET /rest/bug/1/', undefined, 'slash'],
  ['GET /jsonrpc.cgi', undefined, 'JSON-RPC is not served: use the REST interface'],
  ['GET /xmlrpc.cgi', undefined, 'XML-RPC is not served: use the REST interface'],
  ['PUT /rest/bug/1', { cc: ['a'] }, 'such as {"add": ["a"]'],
  ['PUT /rest/bug/1', { keywords: ['a'] }, 'such as {"add": ["a"]'],
  [
    'PUT /rest/bug/1',
    { status: 'VERIFIED' },
    /status from '\w+' to 'VERIFIED', but 'IN_PROGRESS', 'RESOLVED'/,
  ],
  ['PUT /rest/bug/1', { component: 'Lense' }, /There is no component 'Lense', but '/],
  ['PUT /rest/bug/1', { priority: 'urgent' }, /There is no priority 'urgent', but '/],
] as const)('%s %j says what to do instead', async (request, body, expected) => {
  const [method = '', path = ''] = request.split(' ');
  const { status, body: answer } = await bugless.call(method, path, { key: keys.admin, body });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(answer.message).toMatch(expected);
});

it('an anonymous write names the header and the parameter of the key', async () => {
  const { body } = await bugless.call('POST', '/rest/product', { body: {} });
  expect(body.message).toContain('X-BUGZILLA-API-KEY');
  expect(body.message).toContain('api_key');
});

const ignoredBy = async (method: string, path: string, body?: object) => {
  const reply = await bugless.call(method, path, { key: keys.admin, body });
  expect([reply.status < 300, reply.body.message]).toEqual([true, undefined]);
  return reply.headers.get('x-bugless-ignored');
};

it.each<[string, string, object | undefined, string | null]>([
  ['PUT', '/rest/bug/1', { prioirty: 'High', whiteboard: 'w' }, 'prioirty'],
  [
    'PUT',
    '/rest/bug/1',
    { status_whiteboard: 'v', bug_severity: 'normal' },
    'status_whiteboard, bug_severity',
  ],
  ['GET', '/rest/bug?prodct=Alpha&summary=x', undefined, 'prodct'],
  ['GET', '/rest/bug?product=Alpha&limit=2&order=prority,bug_id%20DESC', undefined, 'order prority'],
  [
    'GET',
    '/rest/bug?f1=short_desc&o1=substring&v1=x&email1=a&emailtype1=substring&emailcc1=1',
    undefined,
    null,
  ],
  ['GET', '/rest/bug?quicksearch=x&count_only=1&include_fields=id', undefined, null],
  ['GET', '/rest/bug/1?include_field=id', undefined, 'include_field'],
  ['GET', `/rest/product/2?api_key=${keys.admin}&exclude_fields=components`, undefined, null],
  ['POST', '/rest/bug/1/comment', { comment: 'A', is_privat: true }, 'is_privat'],
  ['GET', '/rest/version?a%0d%0ab=1&é=2', undefined, 'a%0D%0Ab, %C3%A9'],
])('parameters that are ignored are named in a header %s %s %j', async (method, path, body, expected) => {
  expect(await ignoredBy(method, path, body)).toBe(expected);
});

describe('a request with something in a wrong place', () => {
  it.each<[string, Record<string, string>, string]>([
    ['an API key', { 'x-api-key': keys.admin }, 'X-API-KEY'],
    ['a login by Basic', { authorization: 'Basic YTpi' }, 'Authorization'],
  ])('%s: names the header that is read', async (_, headers, named) => {
    const { status, body } = await bugless.call('POST', '/rest/bug/1/comment', {
      headers,
      body: { comment: 'x' },
    });
    expect([status, body.code]).toEqual([401, 410]);
    expect(body.message).toContain(named);
    expect(body.message).toContain('X-BUGZILLA-API-KEY');
  });

  it('a body of several parts is refused', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const { status, body } = await bugless.call('POST', '/rest/bug/1/attachment', {
      key: keys.admin,
      headers,
      body: '--x--',
    });
    expect([status, body.code, body.error]).toEqual([415, 32_000, true]);
    expect(body.message).toContain('application/json');
  });

  it.each([['%PDF-1.4'], ['héllo'], ['{"a": 1}']])('data that is no base64 is refused: %s', async (data) => {
    const file = { ids: [1], data, file_name: 'f', summary: 's', content_type: 'text/plain' };
    const { status, body } = await bugless.call('POST', '/rest/bug/1/attachment', {
      key: keys.admin,
      body: file,
    });
    expect([status, body.code, body.message]).toEqual([400, 53, expect.stringContaining('base64')]);
  });

  it.each(['creation_time', 'last_change_time'])('the time %s is named as it was sent', async (name) => {
    const { body } = await bugless.call('GET', `/rest/bug?${name}=soon`);
    expect(body.message).toContain(`'${name}'`);
  });

  it('a negative limit is refused with what is legal', async () => {
    const { status, body } = await bugless.call('GET', '/rest/bug?summary=x&limit=-1');
    expect([status, body.message]).toEqual([400, expect.stringContaining('0 or more')]);
  });
});

describe('phrases that programs search for stay in their messages', () => {
  const name = 'x'.repeat(65);
  const product = { name: 'New', description: 'd', version: '1' };
  const phrases: [phrase: string, request: string, body?: object | undefined, key?: string][] = [
    ['API key', 'GET /rest/whoami?api_key=unknown'],
    ['You must log in', 'POST /rest/product', product],
    ['you are not authorized', 'POST /rest/product', product, keys.plain],
    ['You are not authorized to access', 'GET /rest/bug/4'],
    ['You must enter a name', 'POST /rest/product', { ...product, name: '' }, keys.admin],
    ['The name of a product is limited', 'POST /rest/product', { ...product, name }, keys.admin],
    ['already exists', 'POST /rest/product', { ...product, name: 'Alpha' }, keys.admin],
    ['differs from existing product', 'POST /rest/product', { ...product, name: 'ALPHA' }, keys.admin],
    ['You must enter a description', 'POST /rest/product', { ...product, description: '' }, keys.admin],
    ['You must enter a valid version', 'POST /rest/product', { ...product, version: '' }, keys.admin],
    ['a comment argument', 'POST /rest/bug/1/comment', { comment: ' ' }, keys.admin],
    ['was not set', 'POST /rest/bug/1/comment', { comment: ' ' }, keys.admin],
    ['cannot be longer than', 'POST /rest/bug/1/comment', { comment: 'x'.repeat(65_536) }, keys.admin],
    ['is private', 'GET /rest/bug/comment/PRIVATE', undefined, keys.plain],
    ['is not a numeric value', 'POST /rest/bug/1/comment', { comment: 'c', work_time: 'x' }, keys.tracker],
    ['more than the maximum', 'POST /rest/bug/1/comment', { comment: 'c', work_time: 1e6 }, keys.tracker],
    ['does not exist', 'GET /rest/bug/9999'],
    ['nor an alias to a bug', 'GET /rest/bug/no-such-alias'],
    ['is not a valid comment id', 'GET /rest/bug/comment/999999'],
    ['was not found for', 'GET /rest/nothing'],
  ];

  /** A private comment, as an administrator sees it. */
  async function privateComment(): Promise<number> {
    const body = { comment: 'Private', is_private: true };
    return (await bugless.call('POST', '/rest/bug/1/comment', { key: keys.admin, body })).body.id;
  }

  it.each(phrases)('%s', async (phrase, request, body, key) => {
    const [method = '', path = ''] = request.split(' ');
    const id = path.includes('PRIVATE') ? await privateComment() : '';
    const { status, body: answer } = await bugless.call(method, path.replace('PRIVATE', String(id)), {
      ...{ key, body },
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(answer.message).toContain(phrase);
  });

  it('and the documentation lists them', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../functions/README.md'), 'utf8');
    const [, list = ''] = /programs search them for some words,(.*?)\n\n/s.exec(readme) ?? [];
    const listed = [...list.matchAll(/`([^`]+)`/g)].map(([, phrase]) => phrase);
    expect(listed).toEqual(phrases.map(([phrase]) => phrase));
  });
});
