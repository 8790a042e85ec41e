import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { startGateway } from '../../infra/local/gateway/gateway.ts';
import type { Handler } from '../../infra/local/gateway/lambda.ts';
import type { Listening } from '../../infra/local/listen.ts';
import { exchangeRaw, openConnection } from '../support/raw-http.ts';

const running: Listening[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
});

async function gatewayTo(
  handler: Handler,
  options: Partial<Parameters<typeof startGateway>[0]> = {},
): Promise<Listening> {
  const routes = [{ routeKey: '$default', functionName: 'all', handler }];
  const gateway = await startGateway({ routes, port: 0, ...options });
  running.push(gateway);
  return gateway;
}

/** Responds with the event. */
const echo: Handler = async (event) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(event),
});

const answering =
  (result: unknown): Handler =>
  async () =>
    result;

async function eventOf(url: string, options?: RequestInit): Promise<APIGatewayProxyEventV2> {
  return (await (await fetch(url, options)).json()) as APIGatewayProxyEventV2;
}

async function ownAnswer(response: Response) {
  return [response.status, response.headers.get('content-type'), await response.text()];
}

const KILOBYTE = 'x'.repeat(1_024);
const MEGABYTE = KILOBYTE.repeat(1_024);

describe('the gateway passes on', () => {
  it('the event of the selected route', async () => {
    const routes = ['GET /p/{id+}', 'GET /p', '$default'].map((routeKey) => ({
      routeKey,
      functionName: 'f',
      handler: echo,
    }));
    const { url } = await gatewayTo(echo, { routes });
    const event = await eventOf(`${url}/p/A%2FB%20%C3%BC?ids=1&ids=2`, { headers: { 'X-A': 'b' } });
    expect(event).toMatchObject({
      routeKey: 'GET /p/{id+}',
      rawPath: '/p/A/B ü',
      pathParameters: { id: 'A/B ü' },
      rawQueryString: 'ids=1&ids=2',
      headers: { 'x-a': 'b', host: new URL(url).host },
    });
    expect((await eventOf(`${url}/q`, { method: 'DELETE' })).routeKey).toBe('$default');
  });

  it('bodies, whether or not their length is known', async () => {
    const { url } = await gatewayTo(echo);
    const chunks = new ReadableStream({
      start(controller) {
        for (const part of ['{"a"', ':', '1}']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const streamed = { method: 'POST', body: chunks, duplex: 'half', headers } as RequestInit;
    expect((await eventOf(url, streamed)).body).toBe('{"a":1}');
    expect((await eventOf(url, { method: 'POST', body: '{"a":1}', headers })).body).toBe('{"a":1}');
  });

  it('a Lambda context', async () => {
    const contexts: Context[] = [];
    const { url } = await gatewayTo(async (_, context) => {
      contexts.push(context);
      return {};
    });
    await fetch(url);
    await fetch(url);
    const [first, second] = contexts as [Context, Context];
    expect(first.functionName).toBe('all');
    expect(first.getRemainingTimeInMillis()).toBeGreaterThan(20_000);
    expect(first.getRemainingTimeInMillis()).toBeLessThanOrEqual(29_000);
    expect(first.awsRequestId).not.toBe(second.awsRequestId);
  });
});

describe('the gateway responds', () => {
  it('with status, headers, cookies and body of the result', async () => {
    const { url } = await gatewayTo(
      answering({
        statusCode: 201,
        headers: { 'X-A': 'b', 'x-number': 1, 'content-type': 'text/plain' },
        cookies: ['a=1; Secure', 'b=2'],
        body: 'ü',
      }),
    );
    const response = await fetch(url);
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-a': 'b', 'x-number': '1' });
    expect(response.headers.get('apigw-requestid')).toMatch(/^.{16}$/);
    expect(response.headers.getSetCookie()).toEqual(['a=1; Secure', 'b=2']);
    expect(await response.text()).toBe('ü');
  });

  it('with the bytes of a base64 body', async () => {
    const bytes = Buffer.from([0, 255, 128]);
    const { url } = await gatewayTo(
      answering({ statusCode: 200, body: bytes.toString('base64'), isBase64Encoded: true }),
    );
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(bytes);
  });

  it('with JSON and 200 when the result has no status', async () => {
    const { url } = await gatewayTo(answering({ a: 1 }));
    expect(await ownAnswer(await fetch(url))).toEqual([200, 'application/json', '{"a":1}']);
  });

  it('304 and HEAD without a body', async () => {
    const { url } = await gatewayTo(async (event) => {
      const isHead = (event as APIGatewayProxyEventV2).requestContext.http.method === 'HEAD';
      return isHead ? { statusCode: 200, body: 'abc' } : { statusCode: 304, headers: { etag: '"a"' } };
    });
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '3', '']);
    const unchanged = await fetch(url);
    expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([
      304,
      '"a"',
      '',
    ]);
  });
});

describe('the gateway limits', () => {
  const tooLarge = [413, 'application/json', '{"message":"Request Entity Too Large"}'];
  const headTooLarge = [431, 'application/json', '{"message":"Request Header Fields Too Large"}'];
  const failed = [500, 'application/json', '{"message":"Internal Server Error"}'];

  it('the body to 10 MB', async () => {
    const { url } = await gatewayTo(answering({ statusCode: 204 }));
    const send = (body: string) => fetch(url, { method: 'POST', body });
    expect((await send(MEGABYTE.repeat(10))).status).toBe(204);
    expect(await ownAnswer(await send(`${MEGABYTE.repeat(10)}x`))).toEqual(tooLarge);
    expect(await ownAnswer(await send(MEGABYTE.repeat(40)))).toEqual(tooLarge);
    const announcing = await openConnection(url);
    announcing.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${50 * 1_048_576}\r\n\r\nx`);
    expect(String((await once(announcing, 'data'))[0])).toMatch(/^HTTP\/1.1 413/);
    announcing.destroy();
  });

  it('the request line and the headers to 10,240 bytes together', async () => {
    const { url } = await gatewayTo(answering({ statusCode: 200, body: 'fine' }));
    const head = (length: number, inPath: boolean) => {
      const rest = (line: string) => `GET /${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      const filling = 'x'.repeat(length - rest('').length - (inPath ? 2 : 'A: \r\n\r\n'.length));
      return inPath ? `${rest(filling)}\r\n` : `${rest('')}A: ${filling}\r\n\r\n`;
    };
    for (const inPath of [true, false]) {
      expect(await exchangeRaw(url, head(10_240, inPath))).toMatch(/^HTTP\/1.1 200 [\s\S]*fine$/);
      for (const length of [10_241, 20_000, 500_000]) {
        expect(await exchangeRaw(url, head(length, inPath))).toMatch(
          /^HTTP\/1.1 431 [\s\S]*\{"message":"Request Header Fields Too Large"\}$/,
        );
      }
    }
    expect(await ownAnswer(await fetch(`${url}/?ids=${'1,'.repeat(5_200)}`))).toEqual(headTooLarge);
  });

  it("a function's result to 6 MB of JSON", async () => {
    const problems: string[] = [];
    const onFailure = (message: string, cause: unknown) => problems.push(`${message}: ${cause}`);
    const room = 6_291_556 - JSON.stringify({ statusCode: 200, body: '' }).length;
    const { url } = await gatewayTo(
      async (event) => {
        const extra = Number((event as APIGatewayProxyEventV2).queryStringParameters?.['extra'] ?? 0);
        return { statusCode: 200, body: 'x'.repeat(room + extra) };
      },
      { onFailure },
    );
    expect((await (await fetch(url)).text()).length).toBe(room);
    expect(await ownAnswer(await fetch(`${url}/?extra=1`))).toEqual(failed);
    expect(problems).toEqual([expect.stringMatching(/6291557 bytes/)]);
  });

  it('the time of a function', async () => {
    const { url } = await gatewayTo(() => sleep(5_000), { timeoutMs: 50 });
    const expected = [503, 'application/json', '{"message":"Service Unavailable"}'];
    expect(await ownAnswer(await fetch(url))).toEqual(expected);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['returns an invalid status', answering({ statusCode: 42 })],
    ['returns a body that is not a string', answering({ statusCode: 200, body: { a: 1 } })],
    ['returns an invalid header', answering({ statusCode: 200, headers: { 'a b': 'c' } })],
    ['returns what JSON cannot represent', answering({ a: 1n })],
  ] as [string, Handler][])('a function that %s to 500', async (_, handler) => {
    const { url } = await gatewayTo(handler);
    expect(await ownAnswer(await fetch(url))).toEqual(failed);
  });
});

describe('the gateway survives', () => {
  it('invalid HTTP', async () => {
    const { url } = await gatewayTo(echo);
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /\u00c3 HTTP/1.1\r\n\r\n',
      '\u0016\u0003',
    ]) {
      expect(await exchangeRaw(url, text)).toMatch(/^HTTP\/1.1 400 [\s\S]*\{"message":"Bad Request"\}$/);
    }
    expect((await fetch(url)).status).toBe(200);
  });

  it('closed connections, before and after the request is complete', async () => {
    let calls = 0;
    const called = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const { url } = await gatewayTo(async () => {
      calls += 1;
      called.resolve();
      await closed.promise;
      return { statusCode: 200, body: MEGABYTE };
    });
    const complete = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    for (const text of [
      'GET / HT',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc',
      complete,
    ]) {
      const socket = await openConnection(url);
      socket.write(text);
      await (text === complete ? called.promise : sleep(20));
      socket.resetAndDestroy();
    }
    closed.resolve();
    expect((await (await fetch(url)).text()).length).toBe(MEGABYTE.length);
    expect(calls).toBe(2);
  });
});

describe('a gateway that stops', () => {
  it('finishes requests in progress, and accepts no others', async () => {
    const called = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const { url, stop } = await gatewayTo(async () => {
      called.resolve();
      await finish.promise;
      return { statusCode: 200, body: 'fine' };
    });
    const underWay = fetch(url);
    await called.promise;
    const stopped = stop();
    finish.resolve();
    await Promise.all([stopped, expect(underWay.then((response) => response.text())).resolves.toBe('fine')]);
    await expect(fetch(url)).rejects.toThrow();
    running.length = 0;
  });

  it('closes idle connections, and waits for others for a limited time', async () => {
    const { url, stop } = await gatewayTo(() => sleep(120_000, undefined, { ref: false }));
    const underWay = fetch(url).catch(() => 'cut off');
    await openConnection(url);
    await stop();
    // Before the function ends.
    expect(await underWay).toBe('cut off');
    running.length = 0;
  });

  it('reports a port in use', async () => {
    const { port } = await gatewayTo(echo);
    await expect(gatewayTo(echo, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
