import { distinctById } from '../../lib/base/collections.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import { compareNames, normalizeName } from '../../lib/base/text.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { givesRights, requireGroupViewer } from '../../lib/people/caller.ts';
import { changeGroups, createGroup as create, requireGroup } from '../../lib/people/change-groups.ts';
import { membersOf } from '../../lib/people/find-users.ts';
import { isBugGroup, presentGroup } from '../../lib/people/presenter.ts';
import { groupQuery, groupUpdate, newGroup } from '../../lib/people/requests.ts';
import type { GroupItem } from '../../lib/people/schema.ts';
import type { AdministrationServices } from '../administration/services.ts';
import { namedBy, refuseTooMany } from '../named.ts';

/**
 * Responds with the groups that `ids` and `names` name, or with all; with their members if `membership` is true. Unknown
 * ids are left out. functions/administration/README.md 4.
 */
export const getGroups: Endpoint<AdministrationServices> = async (request, { groups, users }) => {
  const caller = await request.caller;
  const isDetailed = requireGroupViewer(caller);
  const { ids, names, membership = false } = parseParameters(groupQuery, request.parameters);
  const found =
    ids === undefined && names === undefined
      ? (await groups.listByIds()).toSorted(byKindAndName)
      : await namedGroups(groups, ids ?? [], names ?? []);
  const members = membership
    ? await membersOf(
        users,
        found.map(({ name }) => name),
      )
    : undefined;
  const shown = found.map((group) =>
    presentGroup(group, isDetailed, members && (members.get(normalizeName(group.name)) ?? [])),
  );
  return ok({ groups: shown });
};

/** Bugzilla's own groups come first. */
const byKindAndName = (a: GroupItem, b: GroupItem): number =>
  Number(isBugGroup(a)) - Number(isBugGroup(b)) || compareNames(a.name, b.name);

async function namedGroups(
  groups: AdministrationServices['groups'],
  ids: readonly string[],
  names: readonly string[],
): Promise<GroupItem[]> {
  refuseTooMany(ids, names);
  const byId = await Promise.all(ids.map((id) => groups.nameById(Number(id))));
  const found = await groups.byNames(byId.filter((name) => name !== undefined));
  for (const name of names) found.push(await requireGroup(groups, { given: name, byId: false }));
  return distinctById(found);
}

/** Creates a group, and responds with its id. functions/administration/README.md 4. */
export const createGroup: Endpoint<AdministrationServices> = async (request, services) => {
  const user = await request.user;
  const { icon_url: _, ...given } = parseParameters(newGroup, request.parameters);
  return services.idempotent(request, user, (recordFor) =>
    create(services, user.login, given, givesRights(services.settings), recordFor),
  );
};

/** Changes the groups of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 4. */
export const updateGroups: Endpoint<AdministrationServices> = async (request, { groups }) => {
  const { login } = await request.user;
  const { ids, names, icon_url: _, ...update } = parseKnownParameters(groupUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  return ok({ groups: await changeGroups(groups, login, named, update) });
};
