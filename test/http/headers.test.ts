import { expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';

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
