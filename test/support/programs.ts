import { appendFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inject } from 'vitest';

/** The path of a program that is installed; undefined: none of the names is on the PATH. */
export const programOf = (...names: string[]): string | undefined =>
  names
    .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path));

/**
 * Whether tests run that need programs. The end of the run names what is skipped.
 *
 * @param packages of Debian, which install the programs
 */
export function isTested(isInstalled: boolean, what: string, ...packages: string[]): boolean {
  if (!isInstalled) appendFileSync(inject('skippedFile'), `${JSON.stringify({ what, packages })}\n`);
  return isInstalled;
}
