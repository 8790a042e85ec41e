import { COMMON_PARAMETERS } from '../known-parameters.ts';

const HEADER = 'x-bugless-ignored';
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 50;

/** The header that names parameters that were ignored, as Bugzilla ignores them; none: no header. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  const shown = names
    .filter((name) => !COMMON_PARAMETERS.has(name))
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()).replaceAll('%20', ' '));
  return shown.length === 0 ? {} : { [HEADER]: shown.join(', ') };
}
