import { expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

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
