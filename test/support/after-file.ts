import { afterAll } from 'vitest';

const KEY = Symbol.for('bugless.after-file');
/** What the tests of the current file have started. Vitest loads this module for each file, and tests import it. */
const registry = globalThis as { [KEY]?: (() => unknown)[] };
registry[KEY] ??= [];

/**
 * Stops something after the tests of the file, last things first. It may be called in tests and hooks, where `afterAll` of
 * vitest has no effect.
 */
export function afterFile(stop: () => unknown): void {
  registry[KEY]?.push(stop);
}

afterAll(async () => {
  for (const stop of registry[KEY]?.splice(0).reverse() ?? []) await stop();
});
