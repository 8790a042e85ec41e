import { isDeepStrictEqual } from 'node:util';
import type { EndpointGroup, TablePermission } from '../../lib/http/routes.ts';
import released from './released-permissions.json' with { type: 'json' };

const byName: ReadonlyMap<string, readonly TablePermission[]> = new Map(Object.entries(released.permissions));

/**
 * The permissions of a function, and those of the last release that it has no longer: CloudFormation changes policies before
 * functions, so the code of that release runs with them for a while, also after a rollback. infra/README.md, "Versions".
 */
export function deployedPermissions({
  name,
  permissions,
}: Pick<EndpointGroup, 'name' | 'permissions'>): TablePermission[] {
  const former = byName.get(name) ?? [];
  return [
    ...permissions,
    ...former.filter((one) => !permissions.some((current) => isDeepStrictEqual(current, one))),
  ];
}
