import { CREDENTIAL_PARAMETERS } from '../credentials.ts';

const HEADER = 'x-bugless-ignored';
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 50;

/** They say who asks, and what is shown, of any request. */
const COMMON: ReadonlySet<string> = new Set([...CREDENTIAL_PARAMETERS, 'include_fields', 'exclude_fields']);

/** The header that names parameters that were ignored, as Bugzilla ignores them; none: no header. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  const shown = names
    .filter((name) => !COMMON.has(name))
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()).replaceAll('%20', ' '));
  return shown.length === 0 ? {} : { [HEADER]: shown.join(', ') };
}
