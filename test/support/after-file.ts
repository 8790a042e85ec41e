import { afterAll, beforeAll } from 'vitest';
import { restoreEnvironment } from './environment.ts';

const KEY = Symbol.for('bugless.after-file');
/** What the tests of the current file have started. Vitest loads this module for each file, and tests import it. */
const registry = globalThis as { [KEY]?: { isCollecting: boolean; stops: (() => unknown)[] } };
registry[KEY] = { isCollecting: true, stops: [] };
const file = registry[KEY];
const environment = { ...process.env };

/**
 * Stops something after the tests of the file, last things first. It may be called in tests and hooks, where `afterAll` of
 * vitest has no effect. Called in a suite, it has an effect where a test of the suite runs.
 */
export function afterFile(stop: () => unknown): void {
  const current = registry[KEY];
  if (current?.isCollecting === true) beforeAll(() => afterFile(stop));
  else current?.stops.push(stop);
}

beforeAll(() => {
  file.isCollecting = false;
});

afterAll(async () => {
  for (const stop of file.stops.splice(0).reverse()) await stop();
  restoreEnvironment(environment);
});
