import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeLine } from '../../lib/logger.ts';
import { serve, startBugless, useStarted } from '../support/bugless.ts';
import { jsonLines, written } from '../support/written.ts';

const ADMIN = 'AdminKey00000000000000000000000000000000';

const silent = useStarted(startBugless);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the request log for CloudWatch', () => {
  it('has a structured line per request, with the consumed capacity', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json' });
    const text = await written(() => bugless.call('GET', '/rest/product/2', { key: ADMIN }));
    expect(jsonLines(text)).toContainEqual(
      expect.objectContaining({
        level: 'INFO',
        message: 'request',
        request_id: expect.any(String),
        route: 'GET /rest/product/{id_or_name+}',
        status: 200,
        user_id: 1,
        calls: 1,
        Requests: 1,
        Latency: expect.any(Number),
        // DynamoDB Local counts no item that is not there.
        ReadUnits: expect.toBeOneOf([2, 3]),
        WriteUnits: 0,
      }),
    );
  });

  it('has one line a request, of at most 520 bytes, with metrics in the embedded metric format', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json', SERVICE_NAME: 'Bugless-prod' });
    const requests = [
      ['GET', '/rest/product/2', undefined],
      ['GET', '/rest/bug?product=Alpha', undefined],
      ['PUT', '/rest/bug/comment/1/tags', { add: ['logged'] }],
      ['POST', '/rest/bug/1/comment', { comment: 'logged' }],
    ] as const;
    for (const [method, path, body] of requests) {
      const text = await written(() => bugless.call(method, path, { key: ADMIN, body }));
      const [line, ...others] = text.split('\n').filter((one) => one !== '');
      expect(others).toEqual([]);
      expect(Buffer.byteLength(line ?? '')).toBeLessThanOrEqual(520);
      const logged = JSON.parse(line ?? '');
      const [{ Namespace, Dimensions, Metrics }] = logged['_aws'].CloudWatchMetrics;
      expect([Namespace, Dimensions]).toEqual(['Bugless', [['service']]]);
      for (const { Name } of Metrics) expect([Name, typeof logged[Name]]).toEqual([Name, 'number']);
    }
  });

  it('is written past the console, which Lambda wraps in lines of its own', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json' });
    const console_ = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) =>
      vi.spyOn(console, method),
    );
    const toStdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await bugless.call('GET', '/rest/version');
    const lines = toStdout.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('"_aws"'));
    expect(lines).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
    for (const spy of console_) expect(spy).not.toHaveBeenCalled();
  });

  it('has metrics of errors by code', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json' });
    const text = await written(() => bugless.call('GET', '/rest/bug/99999/comment'));
    const [line] = jsonLines(text);
    expect(line).toMatchObject({ Requests: 1, Errors: 1, code: '101', status: 404 });
    const sets = line['_aws'].CloudWatchMetrics;
    expect(sets).toHaveLength(2);
    expect(sets[1]).toEqual({
      ...{ Namespace: 'Bugless', Dimensions: [['service', 'code']], Metrics: [{ Name: 'Errors' }] },
    });
  });

  it('has the service name in lines and metrics of every group', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json', SERVICE_NAME: 'Bugless-test' });
    for (const path of ['/rest/product_accessible', '/rest/version', '/rest/openapi.json', '/rest/nosuch']) {
      const lines = jsonLines(await written(() => bugless.call('GET', path)));
      expect(lines.length).toBeGreaterThan(0);
      for (const { service } of lines) expect(service).toBe('Bugless-test');
    }
  });

  it('contains neither API keys nor texts of users', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json' });
    const text = await written(async () => {
      const body = { comment: 'a secret text', api_key: ADMIN };
      await bugless.call('POST', `/rest/bug/7/comment?api_key=${ADMIN}`, { key: ADMIN, body });
      await bugless.call('GET', `/rest/product/secret-name?Bugzilla_api_key=${ADMIN}x`);
    });
    expect(jsonLines(text).length).toBeGreaterThan(1);
    for (const secret of [ADMIN, 'a secret text', 'secret-name']) expect(text).not.toContain(secret);
  });
});

describe('the request log at a terminal', () => {
  it('has a line with caller, request and status', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'readable' });
    const text = await written(async () => {
      await bugless.call('GET', '/rest/product/Alpha', { key: ADMIN });
      await bugless.call('GET', '/rest/bug/99999/comment');
      await bugless.call('GET', '/rest/bug/1/');
    });
    expect(text).toMatch(/404 \(32614\) {2}GET \/rest\/bug\/1\/ {2}anonymous/);
    expect(text).toMatch(
      /200 {2}GET \/rest\/product\/Alpha {2}user 1 {2}[\d.]+ ms, 2 calls, [34] read, 0 written/,
    );
    expect(text).toMatch(/404 \(101\) {2}GET \/rest\/bug\/99999\/comment {2}anonymous/);
  });

  it.each([
    ['a line feed', '%0Aready%20http://evil.example', '\\u000aready http://evil.example'],
    ['a carriage return', '%0D%1B[2J', '\\u000d\\u001b[2J'],
    ['a tab, a NEXT LINE and a DEL', '%09%C2%85%7F', '\\u0009\\u0085\\u007f'],
    ['separators of lines and paragraphs', '%E2%80%A8%E2%80%A9', '\\u2028\\u2029'],
    ['bidirectional controls', '%E2%80%AE%E2%81%A6', '\\u202e\\u2066'],
  ])('stays one line, and controls no terminal: %s in the path', async (_, path, shown) => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'readable' });
    const text = await written(() => bugless.call('GET', `/rest/product/${path}`));
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines).toEqual([expect.stringContaining(`  GET /rest/product/${shown}  anonymous  `)]);
  });
});

it('a line of JSON controls no terminal, and stays the same JSON', async () => {
  const text = await written(async () => writeLine({ message: 'a\u009bb\u2028c\u001b' }));
  expect(text).toBe('{"message":"a\\u009bb\\u2028c\\u001b"}\n');
  expect(JSON.parse(text)).toEqual({ message: 'a\u009bb\u2028c\u001b' });
});
