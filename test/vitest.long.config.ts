import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Files with a sample in `npm test`. */
const sampling = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['**/node_modules'] }).filter(
  (file) => /support\/(long|npm-start)\.ts/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

/** Long editions of the tests with random input. RUNS, OPERATIONS and MEGABYTES make them longer or shorter. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: [
      ...sampling,
      '{model,property,faults,upgrade}/**/*.test.ts',
      'http/{many-tags,search-segments}.test.ts',
      'integration/{large-catalogue,rollover}.test.ts',
      'explorer/firefox.test.ts',
    ],
    env: {
      ...config.test?.env,
      FIREFOX: '1',
      ROLLOVER: '1',
      EVENINGS: process.env['EVENINGS'] ?? '20',
      RUNS: process.env['RUNS'] ?? '2000',
      OPERATIONS: process.env['OPERATIONS'] ?? '20000',
      MEGABYTES: process.env['MEGABYTES'] ?? '400',
    },
  },
});
