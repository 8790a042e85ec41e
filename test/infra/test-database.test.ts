import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Runs a short test file as `npm test` does. */
function npmTest(environment: NodeJS.ProcessEnv) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST_DATABASE)/.test(name));
  const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', 'test/unit/time.test.ts'];
  return spawnSync(process.execPath, args, {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...Object.fromEntries(inherited), ...environment },
  });
}

it.skipIf(embeddedBinary() === undefined)(
  'npm test without Java uses the embedded database, and prints that in its first line',
  () => {
    const { status, stdout, stderr } = npmTest({ PATH: '/nowhere' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toMatch(/^Database: embedded/);
  },
);

it('npm test refuses an unknown database', () => {
  const { status, stdout, stderr } = npmTest({ TEST_DATABASE: 'mysql' });
  expect(status).not.toBe(0);
  expect(stdout + stderr).toContain('TEST_DATABASE=mysql');
});
