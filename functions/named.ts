import type { Named } from '../lib/base/names.ts';
import { requireInteger } from '../lib/base/parameters.ts';
import { isAllDigits } from '../lib/base/text.ts';
import { errors } from '../lib/errors.ts';
import type { BugzillaRequest } from '../lib/http/request.ts';

/** Bounds the work for one request. */
const MAX_NAMED = 100;

/** What a request names: by the path, where digits are an id, `ids` and `names`. */
export function namedBy(request: BugzillaRequest, ids: readonly string[], names: readonly string[]): Named[] {
  refuseTooMany(ids, names);
  const inPath = request.named('id_or_name', []);
  return [
    ...inPath.map((given) => ({ given, byId: isAllDigits(given) })),
    ...ids.map((given) => ({ given, byId: true })),
    ...names.map((given) => ({ given, byId: false })),
  ];
}

/** Refuses more names than a request may have, before they are looked up. */
export function refuseTooMany(ids: readonly string[], names: readonly string[]): void {
  for (const id of ids) requireInteger('ids', id);
  if (ids.length + names.length > MAX_NAMED) throw errors.requestTooLarge(`at most ${MAX_NAMED} at once`);
}
