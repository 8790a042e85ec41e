import { describe, expect, it } from 'vitest';
import { serve, startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const bugless = useStarted(startBugless);

async function send(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(`${bugless.url}${path}`, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The text of a page. */
const shown = (page: string) =>
  (/<pre>(.*)<\/pre>/s.exec(page)?.[1] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('a request of a browser', () => {
  it.each([
    ['/rest/version', 'a small answer'],
    ['/rest/product', 'a list that is read as it is sent'],
    ['/rest/bug/1/comment', 'lists within an answer'],
    ['/rest/product?names=unknown', 'an empty list'],
    ['/rest/product_accessible', 'ids'],
    ['/rest/bug/9999/comment', 'an error'],
    ['/rest/nothing', 'an unknown address'],
    ['/rest/product/1/', 'an address that ends in a slash'],
    ['/rest/whoami', 'the lack of a key'],
  ])('sees at %s %s, readable, under the same status', async (path) => {
    for (const accept of [CHROME, FIREFOX, 'text/html']) {
      const page = await send(path, { accept });
      const json = await send(path, { accept: 'application/json' });
      expect(page.status).toBe(json.status);
      expect(page.headers.get('content-type')).toBe('text/html; charset=UTF-8');
      expect(page.headers.get('vary')).toMatch(/\baccept\b(?!-)/);
      expect(shown(page.text)).toBe(JSON.stringify(JSON.parse(json.text), undefined, 2));
    }
  });

  it('gets a page without scripts, whose CSP forbids them', async () => {
    const name = '<script>alert("&amp;")</script>';
    await bugless.call('POST', '/rest/product', {
      key: keys.editor,
      body: { name, description: '<img src=x onerror=alert(1)>', version: '1' },
    });
    const { text, headers } = await send(`/rest/product?names=${encodeURIComponent(name)}`, {
      accept: CHROME,
    });
    expect(JSON.parse(shown(text)).products[0].name).toBe(name);
    const tags = [...text.matchAll(/<\/?\w+/g)].map(([tag]) => tag);
    expect(new Set(tags)).toEqual(
      new Set(['<html', '<meta', '<title', '</title', '<pre', '</pre', '</html']),
    );
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has a stable ETag for each representation', async () => {
    const path = '/rest/product/1';
    const [page, json] = [await send(path, { accept: CHROME }), await send(path, {})];
    const etag = page.headers.get('etag') ?? '';
    expect(etag).not.toBe(json.headers.get('etag'));
    expect((await send(path, { accept: CHROME })).headers.get('etag')).toBe(etag);
    expect(await send(path, { accept: CHROME, 'if-none-match': etag })).toMatchObject({
      status: 304,
      text: '',
    });
    expect((await send(path, { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('responses are JSON', () => {
  it.each([
    ['*/*'],
    ['application/json'],
    ['application/json, text/html'],
    ['text/html;q=0.9, application/json'],
    ['text/html, */*'],
    ['application/json, text/plain, */*'],
    ['text/html;q=0'],
    ['text/html;q=x'],
    ['text/plain'],
    [''],
  ])('that accepts %j', async (accept) => {
    const { headers, text } = await send('/rest/version', { accept });
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(JSON.parse(text)).toHaveProperty('version');
  });

  it('to writes, for any Accept header', async () => {
    const { status, text } = await send('/rest/product', { accept: CHROME }, 'POST');
    expect([status, JSON.parse(text).code]).toEqual([401, 410]);
  });
});

describe('a page of another origin', () => {
  it('gets CORS preflight responses without database access', async () => {
    const cutOff = await serve(bugless.table, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
    const preflight = await fetch(`${cutOff.url}/rest/product/1`, {
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
    expect(allowed).toEqual(expect.arrayContaining(['content-type', 'x-bugzilla-api-key', 'authorization']));
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
