import { requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { BugzillaError, errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { Caller } from '../../lib/users/caller.ts';
import { presentBugs } from './present-bugs.ts';
import { bugsById } from './schemas.ts';
import type { BugServices } from './services.ts';

/**
 * Answers the bugs of the path and of `ids`, in the order of the request, duplicates included. With `permissive` those
 * that cannot be read are listed in `faults`, else the first of them is the error.
 *
 * @throws errors of 50 when none is named, 100 to 102 for a bug that does not exist or that the caller may not see
 */
export const getBugs: Endpoint<BugServices> = async (request, services) => {
  const { ids, permissive } = parseParameters(bugsById, request.parameters);
  const inPath = request.pathParameter('id_or_alias');
  const names = inPath === '' ? ids : [inPath, ...ids];
  if (names.length === 0) throw errors.parameterMissing('ids');
  const { caller, found } = await findBugs(names, request.caller, services);
  const bugs: BugItem[] = [];
  const faults: { id: string; faultCode: number; faultString: string }[] = [];
  for (const [index, name] of names.entries()) {
    try {
      bugs.push(requireVisible(name, found[index]?.id, found[index]?.bug, caller));
    } catch (error) {
      if (permissive !== true || !(error instanceof BugzillaError)) throw error;
      faults.push({ id: name, faultCode: error.code, faultString: error.message });
    }
  }
  return ok({ bugs: await presentBugs(bugs, request, caller, services), faults });
};

/** A bug as it was looked up. */
interface Found {
  /** undefined: the alias does not exist */
  id: number | undefined;
  /** undefined: it does not exist */
  bug: BugItem | undefined;
}

/** Looks up bugs by ids and aliases, while the caller is authenticated. */
export async function findBugs(
  names: readonly string[],
  awaitedCaller: Promise<Caller>,
  { bugs }: Pick<BugServices, 'bugs'>,
): Promise<{ caller: Caller; found: Found[] }> {
  const readAll = async () => {
    const ids = await mapConcurrent(names, bugs.idOf);
    const byId = await bugs.byIds(ids.filter((id) => id !== undefined));
    return ids.map((id) => ({ id, bug: id === undefined ? undefined : byId.get(id) }));
  };
  const [caller, found] = await Promise.all([awaitedCaller, readAll()]);
  return { caller, found };
}

/**
 * The bugs that a request names, in its order.
 *
 * @throws errors of 100 to 102 for the first that does not exist or that the caller may not see
 */
export async function requireBugs(
  names: readonly string[],
  awaitedCaller: Promise<Caller>,
  services: Pick<BugServices, 'bugs'>,
): Promise<{ caller: Caller; bugs: BugItem[] }> {
  const { caller, found } = await findBugs(names, awaitedCaller, services);
  const bugs = names.map((name, index) => requireVisible(name, found[index]?.id, found[index]?.bug, caller));
  return { caller, bugs };
}
