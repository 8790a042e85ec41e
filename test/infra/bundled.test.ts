import { describe, expect, it } from 'vitest';
import { inNewFolder, start } from '../support/started.ts';

describe('npm start -- --bundled', () => {
  it(
    'serves the synthesized bundles, with the environment of the template',
    () =>
      inNewFolder(async (folder) => {
        const settings = { DOCUMENTATION_URL: 'https://example.org/docs', REQUIRE_LOGIN: 'true' };
        const args = ['--port', '0', '--memory', '--empty', '--quiet', '--bundled'];
        const bundled = start(args, settings, folder);
        try {
          const url = await bundled.ready();
          expect(await (await fetch(`${url}/rest/version`)).json()).toHaveProperty('version');
          const refused = await fetch(`${url}/rest/product_accessible`);
          expect(refused.status).toBe(401);
          expect(await refused.json()).toMatchObject({
            code: 410,
            documentation: settings.DOCUMENTATION_URL,
          });
          const unknown = await fetch(`${url}/rest/nothing`);
          expect(unknown.status).toBe(404);
          expect(await unknown.json()).toMatchObject({ error: true, code: 32614 });
          const keyless = await fetch(`${url}/rest/product/1?api_key=${'x'.repeat(40)}`);
          expect(await keyless.json()).toMatchObject({ code: 306 });
        } finally {
          bundled.child.kill('SIGTERM');
          await bundled.ended();
        }
      }),
    60_000,
  );
});
