import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Bugless, caller } from '../support/bugless.ts';
import { describeRecordedExchanges, RECORDED_SETTINGS } from '../support/recorded-exchanges.ts';
import { type Started, start } from '../support/start-process.ts';

// The very bundles that are deployed, with the routes, environments and permissions of the synthesized template.
const CATALOGUE = join(import.meta.dirname, '../reference/catalog.json');

let folder: string;
let bundled: Started;
let call: Bugless['call'];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bugless-'));
  const args = ['--port', '0', '--memory', '--catalog', CATALOGUE, '--quiet', '--bundled'];
  bundled = start(args, RECORDED_SETTINGS, folder);
  call = caller(await bundled.ready());
}, 120_000);
afterAll(async () => {
  bundled.child.kill('SIGTERM');
  await bundled.ended();
  rmSync(folder, { recursive: true });
});

describeRecordedExchanges((...asked) => call(...asked));
