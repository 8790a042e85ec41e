import type { Group, Route } from '../lib/http/routes.ts';
import { group as bugs } from './bugs/group.ts';
import { group as commentTags } from './comment-tags/group.ts';
import { group as comments } from './comments/group.ts';
import { group as explorer } from './explorer/group.ts';
import { group as products } from './products/group.ts';
import { group as serviceInfo } from './service-info/group.ts';

const registered = [products, bugs, comments, commentTags, serviceInfo, explorer] as const;

/** The names of the groups, for lists that must be complete. */
export type GroupName = (typeof registered)[number]['name'];

/** Every group. This module loads data only: neither the AWS SDK nor CDK. */
export const groups: readonly (Group & { name: GroupName })[] = registered;

/** The groups without those of these names. */
export const groupsExcept = (leftOut: readonly string[]): typeof groups =>
  groups.filter(({ name }) => !leftOut.includes(name));

/** Every route of the interface. */
export const allRoutes: readonly Route[] = groups.flatMap(({ routes }) => routes);
