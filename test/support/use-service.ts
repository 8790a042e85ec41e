import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { afterFile } from './after-file.ts';
import { type Bugless, caller } from './bugless.ts';
import { start } from './start-process.ts';

/** `npm start`, in memory and on a free port, for the tests of a file or block. */
export function useService(
  args: string[],
  settings: NodeJS.ProcessEnv = {},
): { call: Bugless['call']; url: () => string } {
  let url = '';
  let stop = async () => {};
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bugless-'));
    const started = start(['--port', '0', '--memory', '--quiet', ...args], settings, folder);
    stop = async () => {
      started.child.kill('SIGTERM');
      await started.ended();
      rmSync(folder, { recursive: true });
    };
    url = await started.ready();
  });
  afterFile(() => stop());
  return { call: (...request) => caller(url)(...request), url: () => url };
}

/**
 * `npm start -- --bundled`: the bundles that are deployed, with the routes, environments and permissions of the
 * synthesized template.
 *
 * @param catalogue its path
 */
export const useBundled = (catalogue: string, settings: NodeJS.ProcessEnv) =>
  useService(['--catalog', catalogue, '--bundled'], settings);
