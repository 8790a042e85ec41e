import { defineConfig } from 'vitest/config';
import { testDatabase } from './support/test-database.ts';

const database = testDatabase();
if (database === 'embedded') {
  console.log('Database: embedded (Dynoxide). With Java 17, or TEST_DATABASE=dynamodb-local: DynamoDB Local');
}

export default defineConfig({
  cacheDir: '../node_modules/.vite',
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['support/global-setup.ts'],
    // So that Java is looked for once only.
    env: { TEST_DATABASE: database },
    // Only to end what hangs: nothing is measured by the clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than the cores of a small machine, because many tests wait for something.
    maxWorkers: 3,
  },
});
