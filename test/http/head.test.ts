import { expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

/** The text of an error names the method, and so has another length. */
const headersOf = ({ headers, status }: Response) => {
  const others = [
    'date',
    'apigw-requestid',
    'connection',
    'keep-alive',
    ...(status >= 400 ? ['content-length'] : []),
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
  const [get, head] = await Promise.all([
    bugless.fetch(path, { headers }),
    bugless.fetch(path, { method: 'HEAD', headers }),
  ]);
  expect(await head.text()).toBe('');
  expect((await get.text()).length).toBeGreaterThan(0);
  expect(head.status).toBe(get.status);
  expect(headersOf(head)).toEqual(headersOf(get));
});

it('HEAD with If-None-Match is 304', async () => {
  const path = '/rest/product/2';
  const etag = (await bugless.fetch(path)).headers.get('etag') ?? '';
  const { status } = await bugless.fetch(path, { method: 'HEAD', headers: { 'if-none-match': etag } });
  expect(status).toBe(304);
});

it('OPTIONS names HEAD where there is GET', async () => {
  const { headers } = await bugless.call('OPTIONS', '/rest/product');
  expect(headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
});
