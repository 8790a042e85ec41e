import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { requireInteger } from '../../lib/parameters.ts';

/** Bounds the work for one request. */
const MAX_NAMED = 100;

/** What a request names: by the path, `ids` and `names`. */
export function namedBy(
  request: BugzillaRequest,
  ids: readonly string[],
  names: readonly string[],
): string[] {
  refuseTooMany(ids, names);
  return request.named('id_or_name', [...ids, ...names]);
}

/** Refuses more names than a request may have, before they are looked up. */
export function refuseTooMany(ids: readonly string[], names: readonly string[]): void {
  for (const id of ids) requireInteger('ids', id);
  if (ids.length + names.length > MAX_NAMED) throw errors.requestTooLarge(`at most ${MAX_NAMED} at once`);
}
