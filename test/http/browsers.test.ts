import { expect, it } from 'vitest';
import { serve, startBugless, useStarted } from '../support/bugless.ts';

const bugless = useStarted(startBugless);

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['text/html'],
  ['*/*'],
  ['application/json'],
  ['text/html;q=x'],
  [''],
])('responses are JSON for Accept: %j', async (accept) => {
  for (const path of ['/rest/version', '/rest/product', '/rest/bug/9999/comment', '/rest/nothing']) {
    const { headers, body } = await bugless.call('GET', path, { headers: { accept } });
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body).toBeTypeOf('object');
  }
});

it('a page of another origin gets CORS preflight responses without database access', async () => {
  const cutOff = await serve(bugless.table, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
  const preflight = await cutOff.fetch(`/rest/product/1`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type,x-bugzilla-api-key',
    },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT, OPTIONS');
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(
    expect.arrayContaining([
      ...['content-type', 'x-bugzilla-api-key', 'authorization', 'accept', 'origin', 'x-requested-with'],
      ...['user-agent', 'if-match', 'if-none-match', 'idempotency-key', '*'],
    ]),
  );
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
});
