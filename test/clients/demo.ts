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

/** Starts `npm start` with the demo, in memory and on a free port, for the tests of a file. */
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
