import { requireVisible } from '../../lib/bugs/permissions.ts';
import { bugsById } from '../../lib/bugs/requests.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { MAX_ITEM_BYTES, sizeOf } from '../../lib/dynamodb/item-size.ts';
import { BugzillaError, errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { parseParameters } from '../../lib/parameters.ts';
import { presentBugs } from './present-bugs.ts';
import type { BugServices } from './services.ts';

/** Bytes of the bugs of a request together, because a bug may be repeated. */
const MAX_BYTES = 20_000_000;

/**
 * Returns the bugs of the path and of `ids`, in the order of the request, duplicates included. With `permissive` those
 * that cannot be read are listed in `faults`, else the first of them is the error.
 */
export const getBugs: Endpoint<BugServices> = async (request, services) => {
  const { ids, permissive } = parseParameters(bugsById, request.parameters);
  const names = request.named('id_or_alias', ids);
  if (names.length === 0) throw errors.parameterMissing('ids');
  const [caller, found, { fields }] = await Promise.all([
    request.caller,
    findBugs(names, services.bugs),
    services.bugSettings.read(),
  ]);
  const bugs: BugItem[] = [];
  const faults: { id: string; faultCode: number; faultString: string }[] = [];
  for (const { name, id, bug } of found) {
    try {
      bugs.push(requireVisible(name, id, bug, caller));
    } catch (error) {
      if (permissive !== true || !(error instanceof BugzillaError)) throw error;
      faults.push({ id: name, faultCode: error.code, faultString: error.message });
    }
  }
  // Few bugs cannot take as much, so they are not measured.
  if (bugs.length * MAX_ITEM_BYTES > MAX_BYTES && bytesOf(bugs) > MAX_BYTES) {
    throw errors.requestTooLarge(`${MAX_BYTES / 1_000_000} MB of bugs`);
  }
  return ok({ bugs: await presentBugs(bugs, request, caller, fields, services), faults });
};

/** The size of bugs together, some of which may be repeated. */
function bytesOf(bugs: readonly BugItem[]): number {
  const sizes = new Map([...new Set(bugs)].map((bug) => [bug, sizeOf(bug)]));
  return bugs.reduce((sum, bug) => sum + (sizes.get(bug) ?? 0), 0);
}
