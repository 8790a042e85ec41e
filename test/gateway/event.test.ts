import { describe, expect, it } from 'vitest';
import { eventOf, type RawRequest } from '../../infra/local/gateway/event.ts';

const NOW = new Date('2024-03-02T01:02:03.456Z');

function payload(request: Partial<RawRequest>, pathParameters: Record<string, string> = {}) {
  const complete = {
    method: 'GET',
    target: '/',
    rawHeaders: [],
    httpVersion: '1.1',
    sourceIp: '127.0.0.1',
    body: Buffer.alloc(0),
    ...request,
  };
  return eventOf(complete, { routeKey: 'GET /', pathParameters }, NOW);
}

describe('the event of a request', () => {
  it('has version 2.0 and the source address', () => {
    const event = payload({ method: 'PUT', target: '/a?b=c', rawHeaders: ['User-Agent', 'curl/8'] });
    expect(event).toMatchObject({ version: '2.0', routeKey: 'GET /', rawPath: '/a' });
    expect(event.requestContext).toMatchObject({
      http: { method: 'PUT', path: '/a', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'curl/8' },
      ...{ accountId: expect.stringMatching(/^\d{12}$/), requestId: expect.stringMatching(/^.{16}$/) },
      ...{ apiId: expect.any(String), domainName: expect.any(String), domainPrefix: expect.any(String) },
      ...{ routeKey: 'GET /', stage: '$default', time: '02/Mar/2024:01:02:03 +0000' },
      timeEpoch: NOW.getTime(),
    });
  });

  it('omits absent fields', () => {
    const event = payload({});
    for (const key of ['cookies', 'queryStringParameters', 'pathParameters', 'body', 'stageVariables']) {
      expect(event).not.toHaveProperty(key);
    }
    expect(event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });
});

describe('the path of an event', () => {
  it.each([
    ['/rest/product/A%2FB%20%26%2050%25', '/rest/product/A/B & 50%'],
    ['/%C3%BC', '/ü'],
    ['/%25C3', '/%C3'],
    ['/a+b', '/a+b'],
    ['/%ff%zz%', '/ÿ%zz%'],
    ['/a//b/', '/a//b/'],
    ['*', '/*'],
    ['http://host:1/a?b', '/a'],
    ['http://host', '/'],
  ])('%s is decoded once to %s', (target, path) => {
    expect(payload({ target }).rawPath).toBe(path);
    expect(payload({ target }).requestContext.http.path).toBe(path);
  });

  it('is separate from its parameters', () => {
    expect(payload({}, { id: 'A/B' }).pathParameters).toEqual({ id: 'A/B' });
  });
});

describe('the query of an event', () => {
  it('is untouched in rawQueryString', () => {
    const raw = 'ids=1&ids=2&name=%C3%BC+x%2C&&=&q=a?b;c%zz';
    expect(payload({ target: `/a?${raw}` }).rawQueryString).toBe(raw);
  });

  it('joins repeated keys by commas in queryStringParameters', () => {
    const event = payload({ target: '/a?ids=1&ids=2&name=%C3%BC+x%2C&flag&empty=&a=b=c' });
    const joined = { ids: '1,2', name: 'ü x,', flag: '', empty: '', a: 'b=c' };
    expect(event.queryStringParameters).toEqual(joined);
  });

  it('may be empty after the question mark', () => {
    const event = payload({ target: '/a?' });
    expect(event.rawQueryString).toBe('');
    expect(event).not.toHaveProperty('queryStringParameters');
  });
});

describe('the headers of an event', () => {
  it('have lower-case names and commas between repeated ones', () => {
    const rawHeaders = ['X-A', '1', 'Accept', 'text/html', 'x-a', '2, 3'];
    expect(payload({ rawHeaders }).headers).toMatchObject({ 'x-a': '1,2, 3', accept: 'text/html' });
  });

  it('do not contain cookies, which are a list', () => {
    const event = payload({ rawHeaders: ['Cookie', 'a=1; b=2', 'cookie', 'c=3'] });
    expect(event.cookies).toEqual(['a=1', 'b=2', 'c=3']);
    expect(event.headers).not.toHaveProperty('cookie');
  });

  it('have the forwarding address and the length of the body', () => {
    const rawHeaders = ['X-Forwarded-For', '1.2.3.4', 'Transfer-Encoding', 'chunked', 'Connection', 'close'];
    const { headers } = payload({ rawHeaders, body: Buffer.from('abc') });
    expect(headers).toMatchObject({
      'content-length': '3',
      'x-forwarded-for': '1.2.3.4, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
    expect(headers).not.toHaveProperty('connection');
  });
});

/** Whose text a function gets as it is; API Gateway gives others in base64. */
const TEXT_TYPES = [
  ...['application/json', 'application/json; charset=UTF-8', 'APPLICATION/JSON', 'application/xml'],
  ...['application/javascript', 'text/plain', 'text/x-anything;q=1'],
];
const OTHER_TYPES = [
  ...[undefined, 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
  ...['application/vnd.api+json', 'application/jsonx', 'application/octet-stream', ''],
];
const NOT_UTF8 = Buffer.from([0x22, 0xff, 0x22]);

it.each<[type: string | undefined, body: string | Buffer, isText: boolean]>([
  ...TEXT_TYPES.map((type): [string, string, boolean] => [type, '{"ü":1}', true]),
  ...OTHER_TYPES.map((type): [string | undefined, string, boolean] => [type, '{"ü":1}', false]),
  ['application/json', NOT_UTF8, false],
  // A byte order mark stays.
  ['application/json', '\uFEFF{}', true],
])('the body of an event of the type %j, %j, is text: %s', (type, body, isText) => {
  const rawHeaders = type === undefined ? [] : ['Content-Type', type];
  const event = payload({ method: 'POST', rawHeaders, body: Buffer.from(body) });
  const expected = isText ? body : Buffer.from(body).toString('base64');
  expect([event.body, event.isBase64Encoded]).toEqual([expected, !isText]);
});
