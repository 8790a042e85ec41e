import { afterAll, beforeAll } from 'vitest';
import { caller } from '../support/bugless.ts';
import { type Started, start } from '../support/start-process.ts';

/** API keys of the demo. */
export const keys = {
  admin: 'AdminDemoKey0000000000000000000000000000',
  dev: 'DevDemoKey000000000000000000000000000000',
  reporter: 'ReporterDemoKey0000000000000000000000000',
  former: 'FormerDemoKey000000000000000000000000000',
};

/** The demo as `npm start` serves it, for the tests of a file; in memory, on a port of its own. */
export function servedDemo(): { url: string; call: ReturnType<typeof caller> } {
  const demo = { url: '', call: caller('') };
  let started: Started;
  beforeAll(async () => {
    started = start(['--port', '0', '--memory', '--quiet']);
    demo.url = await started.ready();
    demo.call = caller(demo.url);
  });
  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.ended();
  });
  return demo;
}
