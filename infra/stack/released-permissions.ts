import { isDeepStrictEqual } from 'node:util';
import type { EndpointGroup, TablePermission } from '../../lib/http/routes.ts';
import released from './released-permissions.json' with { type: 'json' };

const byGroup: ReadonlyMap<string, readonly TablePermission[]> = new Map(
  Object.entries(released.permissions),
);

/**
 * The permissions of a group, and those of the last release that it has no longer: CloudFormation changes policies before
 * functions, so the code of that release runs with them for a while, also after a rollback. infra/README.md, "Versions".
 */
export function deployedPermissions({ name, permissions }: EndpointGroup): TablePermission[] {
  const former = byGroup.get(name) ?? [];
  return [
    ...permissions,
    ...former.filter((one) => !permissions.some((current) => isDeepStrictEqual(current, one))),
  ];
}
