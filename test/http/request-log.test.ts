import { afterEach, describe, expect, it, vi } from 'vitest';
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
        milliseconds: expect.any(Number),
        calls: 1,
        read_units: 2,
        write_units: 0,
        retries: 0,
        conflicts: 0,
      }),
    );
  });

  it('has metrics in the embedded metric format, with errors by code', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json' });
    const text = await written(() => bugless.call('GET', '/rest/bug/99999/comment'));
    const metrics = jsonLines(text).filter((line) => '_aws' in line);
    expect(metrics).toContainEqual(expect.objectContaining({ Requests: 1, Latency: expect.any(Number) }));
    expect(metrics).toContainEqual(expect.objectContaining({ Errors: 1, code: '101' }));
  });

  it('has the service name in lines and metrics of every group', async () => {
    const bugless = await serve(silent.table, { REQUEST_LOG: 'json', SERVICE_NAME: 'Bugless-test' });
    for (const path of ['/rest/product_accessible', '/rest/version', '/rest/openapi.json', '/rest/nosuch']) {
      const lines = jsonLines(await written(() => bugless.call('GET', path)));
      expect(lines.length).toBeGreaterThan(1);
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
    });
    expect(text).toMatch(
      /200 {2}GET \/rest\/product\/Alpha {2}user 1 {2}[\d.]+ ms, 2 calls, 3 read, 0 written/,
    );
    expect(text).toMatch(/404 \(101\) {2}GET \/rest\/bug\/99999\/comment {2}anonymous/);
  });
});
