import { expect, it } from 'vitest';
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
  ['POST /jsonrpc.cgi', undefined, 'JSON-RPC is not served: use the REST interface'],
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
