import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Bugless, caller } from './bugless.ts';
import { start } from './start-process.ts';

/**
 * Starts `npm start -- --bundled` before the tests of a file or block: the bundles that are deployed, with the routes,
 * environments and permissions of the synthesized template. It stops after the tests.
 *
 * @param catalogue its path
 */
export function useBundled(
  catalogue: string,
  settings: NodeJS.ProcessEnv,
): { call: Bugless['call']; url: () => string } {
  let url = '';
  let stop = async () => {};
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bugless-'));
    const args = ['--port', '0', '--memory', '--catalog', catalogue, '--quiet', '--bundled'];
    const bundled = start(args, settings, folder);
    stop = async () => {
      bundled.child.kill('SIGTERM');
      await bundled.ended();
      rmSync(folder, { recursive: true });
    };
    url = await bundled.ready();
  });
  afterAll(() => stop());
  return { call: (...request) => caller(url)(...request), url: () => url };
}
