import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { databaseOfTests, type TestDatabase } from './test-database.ts';

/** The folders of `npm test`; `npm run test:all` has all. */
export const FOLDERS_OF_NPM_TEST = ['unit', 'http', 'admin', 'import', 'dynamodb'];

const TESTS = join(import.meta.dirname, '..');
const cacheDir = join(TESTS, '../node_modules/.vite');

/**
 * The configuration of a run.
 *
 * @param include patterns of the files
 * @param preferred the database where it is installed
 */
export function testConfig(include: string[], preferred: TestDatabase): ViteUserConfig {
  const database = databaseOfTests(preferred);
  return defineConfig({
    cacheDir,
    test: {
      root: TESTS,
      include,
      globalSetup: ['support/global-setup.ts'],
      setupFiles: ['support/after-file.ts'],
      env: {
        // So that Java is looked for once only.
        TEST_DATABASE: database,
        // Commands that tests run start in half the time.
        NODE_COMPILE_CACHE: join(cacheDir, 'compile-cache'),
      },
      reporters: [join(TESTS, 'support/reporter.ts')],
      // A worker keeps the modules of the service from file to file: each test starts its own service and table.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      // Only to end what hangs: nothing is measured by the clock.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      // More than the cores of a small machine, because many tests wait for something; DynamoDB Local has threads of its own.
      maxWorkers: database === 'embedded' ? 4 : 3,
    },
  });
}
