import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Long editions of the tests with random input. RUNS, OPERATIONS and MEGABYTES make them longer or shorter. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: [
      '{model,property,faults,upgrade}/**/*.test.ts',
      'http/field-operators.test.ts',
      'http/many-tags.test.ts',
      'http/recorded-searches.test.ts',
      'http/reference.test.ts',
      'http/search-index.test.ts',
      'http/search-segments.test.ts',
      'infra/bundled-reference.test.ts',
      'infra/{events-stack,stack,start,start-data,start-events}.test.ts',
      'integration/apply-interrupted.test.ts',
      'integration/check.test.ts',
      'integration/large-catalogue.test.ts',
      'integration/rollover.test.ts',
      'explorer/explorer.test.ts',
      'explorer/firefox.test.ts',
      'explorer/long-bug.test.ts',
      'explorer/page-states.test.ts',
      'explorer/pictures.test.ts',
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
