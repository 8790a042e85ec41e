import { parseParameters } from '../../lib/base/parameters.ts';
import { isVisible, requireVisible } from '../../lib/bugs/permissions.ts';
import { bugsById } from '../../lib/bugs/requests.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { BugzillaError, errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Caller } from '../../lib/people/caller.ts';
import { sizeOf } from '../../lib/table/consumption.ts';
import { presentBugs } from './present-bugs.ts';
import type { BugServices } from './services.ts';

/** Bytes of the bugs of a request together, because a bug may be repeated. */
const MAX_BYTES_OF_BUGS = 20_000_000;
/** Bytes of the bugs that are read, each once: 3,200 read units. */
const MAX_READ_BYTES = 13_000_000;
/** Bugs that are not measured: each takes at most 350 KB. */
const FEW = 10;

/**
 * Returns the bugs of the path and of `ids`, in the order of the request, duplicates included. With `permissive` those
 * that cannot be read are listed in `faults`, else the first of them is the error.
 */
export const getBugs: Endpoint<BugServices> = async (request, services) => {
  const { ids, permissive } = parseParameters(bugsById, request.parameters);
  const names = request.named('id_or_alias', ids);
  if (names.length === 0) throw errors.parameterMissing('ids');
  // Few bugs cannot take too much: they are read while the caller is authenticated.
  const counter = names.length <= FEW ? undefined : visibleUnits(await request.caller);
  const [caller, found, settings] = await Promise.all([
    request.caller,
    findBugs(names, services.bugs, counter),
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
  if (bugs.length > FEW && bytesOf(bugs) > MAX_BYTES_OF_BUGS) throw tooLarge(MAX_BYTES_OF_BUGS);
  return ok({ bugs: await presentBugs(bugs, { request, caller, ...settings }, services), faults });
};

const tooLarge = (bytes: number) => errors.requestTooLarge(`${Math.floor(bytes / 1_000_000)} MB of bugs`);

/** Counts the read units of bugs that a caller sees: the others must not affect whether the request is refused. */
function visibleUnits(caller: Caller): (bugs: readonly BugItem[]) => void {
  let bytes = 0;
  return (bugs) => {
    for (const bug of bugs) if (isVisible(bug, caller)) bytes += sizeOf(bug);
    if (bytes > MAX_READ_BYTES) throw tooLarge(MAX_READ_BYTES);
  };
}

/** The size of bugs together, some of which may be repeated. */
function bytesOf(bugs: readonly BugItem[]): number {
  const sizes = new Map([...new Set(bugs)].map((bug) => [bug, sizeOf(bug)]));
  return bugs.reduce((sum, bug) => sum + (sizes.get(bug) ?? 0), 0);
}
