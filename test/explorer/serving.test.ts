import { describe, expect, it } from 'vitest';
import { FILES, MODULES, MODULES_OF_SCRIPT, scriptsOf } from '../../functions/explorer/assets.ts';
import { newTable, serve, useStarted } from '../support/bugless.ts';

// No request here may need the database.
const bugless = useStarted(async () =>
  serve(await newTable(), {
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
    DOCUMENTATION_URL: 'https://example.org/read-more',
  }),
);

const send = (path: string, headers: Record<string, string> = {}) => bugless.fetch(path, { headers });

const PAGES = ['/', '/show_bug.cgi?id=1', '/buglist.cgi?product=Alpha', '/api'];

describe('the explorer', () => {
  it.each(PAGES)('%s is a page whose CSP forbids other origins, and inline scripts but two', async (path) => {
    const { status, headers } = await send(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toMatch(/script-src 'self'( 'sha256-[^']+'){2};/);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['/', MODULES_OF_SCRIPT.size + 5],
    ['/api', MODULES_OF_SCRIPT.size + 6],
  ])('%s refers to existing files, which are immutable', async (address, count) => {
    const page = await (await send(address)).text();
    expect(page).not.toContain('{{');
    const versioned = [...page.matchAll(/"(?:\.\/)?(explorer\/[^"]+\?v=[^"]+)"/g)].map(
      ([, path]) => `/${path}`,
    );
    expect(versioned).toHaveLength(count);
    for (const path of versioned) {
      const { status, headers } = await send(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      const other = await send(path.replace(/v=.*/, 'v=another'));
      expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    }
  });

  it.each([...FILES.map(({ name }) => [name]), ...[...MODULES_OF_SCRIPT.keys()].map((name) => [name])])(
    'serves %s with its content type, and 304 afterwards',
    async (name) => {
      const first = await send(`/explorer/${name}`);
      const etag = first.headers.get('etag') ?? '';
      expect(first.headers.get('content-type')).toMatch(/^(text|image)\/[\w+]+; charset=UTF-8$/);
      expect(first.headers.get('content-encoding')).toBe('gzip');
      const again = await send(`/explorer/${name}`, { 'if-none-match': etag });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
      const plain = await send(`/explorer/${name}`, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await first.text());
    },
  );

  it('a page names its script, so that it is loaded beside that of all pages; no module is in both', async () => {
    for (const [path, tab] of [
      ['/'],
      ['/buglist.cgi'],
      ['/enter_bug.cgi'],
      ['/admin'],
      ['/admin', 'people'],
    ] as const) {
      const page = await (await send(`${path}?tab=${tab ?? ''}`)).text();
      expect(scriptsOf(path, tab)).not.toEqual([]);
      for (const script of scriptsOf(path, tab))
        expect(page).toMatch(new RegExp(`rel="modulepreload" href="explorer/${script}\\.js\\?v=`));
    }
    const ofAll = MODULES_OF_SCRIPT.get('main.js') ?? [];
    for (const [name, modules] of MODULES_OF_SCRIPT)
      if (name !== 'main.js') expect(modules.filter((one) => ofAll.includes(one))).toEqual([]);
    expect(new Set([...MODULES_OF_SCRIPT.values()].flat())).toEqual(new Set(MODULES.keys()));
  });

  it.each(['package.json', 'page.html', '..%2Fpackage.json', 'index.ts', 'api.css%00'])(
    'has no file %s',
    async (name) => {
      const { status, body } = await bugless.call('GET', `/explorer/${name}`);
      expect([status, body.code]).toEqual([404, 32614]);
    },
  );

  it.each(['/report.cgi', '/admin.cgi', '/nope', '/nope/deeper', '/rest-is-not-here'])(
    'a browser gets a page at %s, with links that lead on; programs get an error',
    async (path) => {
      const page = await send(path, { accept: 'text/html,*/*' });
      const text = await page.text();
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect([...text.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toContain(
        `${bugless.url}/enter_bug.cgi`,
      );
      expect(text).not.toContain('nope');
      const { status, body } = await bugless.call('GET', path);
      expect([status, body.code]).toEqual([404, 32614]);
    },
  );

  it.each(['/rest/nope', '/rest.cgi/nope', '/rest'])(
    'a browser gets an error of the interface at %s',
    async (path) => {
      const response = await send(path, { accept: 'text/html' });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/json; charset=UTF-8',
      ]);
    },
  );

  it('serves the OpenAPI document, with the documentation URL of errors', async () => {
    const { status, headers, body } = await bugless.call('GET', '/rest/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=UTF-8']);
    expect(body.openapi).toBe('3.1.0');
    expect(body.externalDocs).toEqual({ url: 'https://example.org/read-more' });
    expect(body.components.examples.login_required.value.documentation).toBe('https://example.org/read-more');
  });

  it('describes the deployed operations, and OPTIONS agrees', async () => {
    const without = await serve(await newTable(), { LEFT_OUT_GROUPS: 'bugs,explorer' });
    expect((await without.fetch(`/rest/openapi.json`)).status).toBe(404);
    expect((await without.call('OPTIONS', '/rest/bug')).status).toBe(404);
    expect((await without.call('OPTIONS', '/rest/bug/1/comment')).status).toBe(200);
    const withoutPages = await serve(await newTable(), { LEFT_OUT_GROUPS: 'explorer' });
    const page = await withoutPages.call('GET', '/show_bug.cgi?id=1');
    expect([page.status, page.body.code]).toEqual([404, 32614]);
    const other = await withoutPages.fetch(`/nope`, { headers: { accept: 'text/html' } });
    expect(other.headers.get('content-type')).toContain('json');
    const withExplorer = await serve(await newTable(), { LEFT_OUT_GROUPS: 'bugs' });
    const { body } = await withExplorer.call('GET', '/rest/openapi.json');
    expect(Object.keys(body.paths)).toContain('/rest/bug/{id_or_alias}/comment');
    expect(Object.keys(body.paths)).not.toContain('/rest/bug');
  });
});
