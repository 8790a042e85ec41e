import { portions } from '../../lib/base/collections.ts';
import { type BugzillaError, unlessRefused } from './bugzilla-client.ts';

/** A response has a part of so many bugs. */
const BUGS_PER_REQUEST = 20;

/**
 * Reads a part of bugs, many in one request. A server may refuse a request for one of its bugs, or return the first bug
 * only: those that it leaves out are requested one by one.
 *
 * @param request reads the part of these bugs
 * @returns by id the part, or why Bugzilla refuses it; bugs that it leaves out are absent
 * @throws what `request` throws, if it concerns other bugs too
 */
export async function readBatches<T>(
  ids: readonly number[],
  request: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>,
): Promise<Map<number, T | BugzillaError>> {
  const found = new Map<number, T | BugzillaError>();
  for (const some of portions(ids, { max: BUGS_PER_REQUEST })) {
    const parts = await unlessRefused(request(some), () => new Map<number, T>());
    for (const id of some) {
      const part = parts.get(id);
      if (part !== undefined) found.set(id, part);
    }
  }
  for (const id of ids.filter((one) => !found.has(one))) {
    const alone = await unlessRefused(
      request([id]).then((parts) => parts.get(id)),
      (error) => error,
    );
    if (alone !== undefined) found.set(id, alone);
  }
  return found;
}
