import { errors } from '../../lib/errors.ts';
import type { Parameters } from '../../lib/http/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { isAllDigits } from '../../lib/ids.ts';

/** Bounds the work for one request. */
const MAX_NAMED = 100;

/**
 * What a request names: by the path, `ids` and `names`.
 *
 * @throws errors.requestTooLarge (400, 32000), errors.parameterNotInteger (400, 52)
 */
export function namedBy(
  request: BugzillaRequest,
  ids: readonly string[],
  names: readonly string[],
): string[] {
  refuseTooMany(ids, names);
  const inPath = request.pathParameter('id_or_name');
  return [...(inPath === '' ? [] : [inPath]), ...ids, ...names];
}

/** @throws errors.requestTooLarge (400, 32000), errors.parameterNotInteger (400, 52) */
export function refuseTooMany(ids: readonly string[], names: readonly string[]): void {
  const notId = ids.find((id) => !isAllDigits(id));
  if (notId !== undefined) throw errors.parameterNotInteger('ids', notId);
  if (ids.length + names.length > MAX_NAMED) throw errors.requestTooLarge(`at most ${MAX_NAMED} at once`);
}

/** @throws errors.parameterUnknown (400, 53) */
export function refuseUnknown(parameters: Parameters, known: ReadonlySet<string>): void {
  for (const name of parameters.keys()) {
    if (!known.has(name)) throw errors.parameterUnknown(name);
  }
}
