import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';
import { testDatabase } from './support/test-database.ts';

const database = testDatabase();
const cacheDir = join(import.meta.dirname, '../node_modules/.vite');
if (database === 'embedded') {
  console.log('Database: embedded (Dynoxide). With Java 17, or TEST_DATABASE=dynamodb-local: DynamoDB Local');
}

export default defineConfig({
  cacheDir,
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['support/global-setup.ts'],
    setupFiles: ['support/after-file.ts'],
    env: {
      // So that Java is looked for once only.
      TEST_DATABASE: database,
      // Commands that tests run start in half the time.
      NODE_COMPILE_CACHE: join(cacheDir, 'compile-cache'),
    },
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
