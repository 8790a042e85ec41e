import type * as z from 'zod/mini';
import { type Parameters, parseParameters } from '../base/parameters.ts';
import { errors } from '../errors.ts';
import { CREDENTIAL_PARAMETERS } from './credentials.ts';

/** Parameters of every operation: they authenticate, and select what is shown. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set([
  ...CREDENTIAL_PARAMETERS,
  'include_fields',
  'exclude_fields',
]);

/**
 * Parses the parameters of an operation that refuses others. functions/README.md 1.
 *
 * @param ignored names of others that are not refused
 */
export function parseKnownParameters<T extends z.ZodMiniObject>(
  schema: T,
  given: Parameters,
  ignored: readonly string[] = [],
): z.output<T> {
  for (const name of given.keys()) {
    const isKnown =
      Object.hasOwn(schema.shape, name) || COMMON_PARAMETERS.has(name) || ignored.includes(name);
    if (!isKnown) throw errors.parameterUnknown(name);
  }
  return parseParameters(schema, given);
}

const IGNORED_HEADER = 'x-bugless-ignored';
const MAX_IGNORED = 20;
const MAX_IGNORED_LENGTH = 50;

/** The header that names parameters that were ignored, as Bugzilla ignores them; none: no header. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  const shown = names
    .filter((name) => !COMMON_PARAMETERS.has(name))
    .slice(0, MAX_IGNORED)
    .map((name) =>
      encodeURIComponent(name.slice(0, MAX_IGNORED_LENGTH).toWellFormed()).replaceAll('%20', ' '),
    );
  return shown.length === 0 ? {} : { [IGNORED_HEADER]: shown.join(', ') };
}
