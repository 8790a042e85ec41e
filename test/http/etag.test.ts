import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

let bugless: Bugless;
let etag: string;
const path = '/rest/product/2';

const send = (ifNoneMatch: string, headers: Record<string, string> = {}) =>
  bugless.call('GET', path, {
    headers: { 'if-none-match': ifNoneMatch, 'accept-encoding': 'identity', ...headers },
  });

beforeAll(async () => {
  bugless = await startBugless();
  etag = (await send('"none"')).headers.get('etag') ?? '';
});

describe('If-None-Match', () => {
  it('refers to a quoted ETag', () => expect(etag).toMatch(/^"[^"]+"$/));

  it('matches every format that clients send', async () => {
    const bare = etag.slice(1, -1);
    for (const given of [etag, bare, `W/${etag}`, `"a", ${etag}`, `"a",W/${etag} ,"b"`, '*', ` ${etag} `]) {
      const { status, headers, body } = await send(given);
      expect([given, status, body, headers.get('etag')]).toEqual([given, 304, '', etag]);
    }
  });

  it('matches neither other ETags nor parts of it', async () => {
    for (const given of ['"a"', '', '""', etag.slice(0, -2), `${etag}x`, '"*"x', etag.toUpperCase()]) {
      expect([given, (await send(given)).status]).toEqual([given, 200]);
    }
  });

  it('matches a compressed response by the weak ETag', async () => {
    const large = '/rest/bug/8/comment';
    const plain = await bugless.call('GET', large, { headers: { 'accept-encoding': 'identity' } });
    const packed = await bugless.call('GET', large, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`);
    const again = await bugless.call('GET', large, {
      headers: { 'accept-encoding': 'br', 'if-none-match': packed.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('is ignored for errors and writes', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await bugless.call('GET', '/rest/bug/999/comment', { headers })).status).toBe(404);
    const update = { key: keys.admin, body: { description: 'written all the same' }, headers };
    const written = await bugless.call('PUT', path, update);
    expect([written.status, written.headers.get('etag')]).toEqual([200, null]);
  });

  it('does not match after the content has changed', async () => {
    const now = (await send('"none"')).headers.get('etag') ?? '';
    expect((await send(now)).status).toBe(304);
    await bugless.call('PUT', path, { key: keys.admin, body: { description: `not ${now}` } });
    expect((await send(now)).status).toBe(200);
  });
});
