import * as z from 'zod';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import type { TablePermission } from '../../lib/table/permission.ts';
import recorded from './released-permissions.json' with { type: 'json' };

const permission = z.object({ actions: z.array(z.string()), partitions: z.array(z.string()) });
const releases = z.array(
  z.object({ version: z.string(), permissions: z.record(z.string(), z.array(permission)) }),
);

/** The permissions of the releases that a deployment may replace, by the names of functions. */
const released = releases.parse(recorded);

/** Whether a statement allows all that another one does, in one transaction. */
const covers = (statement: TablePermission, other: TablePermission): boolean =>
  other.actions.every((action) => statement.actions.includes(action)) &&
  other.partitions.every((partition) => statement.partitions.includes(partition));

/**
 * The permissions of a function, and those of earlier releases that it has no longer: CloudFormation changes policies before
 * functions, so the code of such a release runs with them for a while, also after a rollback. infra/UPGRADING.md.
 */
export function deployedPermissions({
  name,
  permissions,
}: Pick<EndpointGroup, 'name' | 'permissions'>): TablePermission[] {
  const all = [...permissions];
  for (const former of released.flatMap((release) => release.permissions[name] ?? [])) {
    if (!all.some((current) => covers(current, former))) all.push(former);
  }
  return all;
}
