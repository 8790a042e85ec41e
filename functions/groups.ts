import type { Route, RouteGroup } from '../lib/http/routes.ts';
import { routeGroup as administration } from './administration/group.ts';
import { routeGroup as attachments } from './attachments/group.ts';
import { routeGroup as bugs } from './bugs/group.ts';
import { routeGroup as commentTags } from './comment-tags/group.ts';
import { routeGroup as comments } from './comments/group.ts';
import { routeGroup as explorer } from './explorer/group.ts';
import { routeGroup as products } from './products/group.ts';
import { routeGroup as serviceInfo } from './service-info/group.ts';

const registered = [
  products,
  bugs,
  attachments,
  comments,
  commentTags,
  administration,
  serviceInfo,
  explorer,
] as const;

/** The names of the route groups, for lists that must be complete. */
export type RouteGroupName = (typeof registered)[number]['name'];

/** Every route group. This module loads data only: neither the AWS SDK nor CDK. */
export const routeGroups: readonly (RouteGroup & { name: RouteGroupName })[] = registered;

/** The route groups without those of these names. */
export const routeGroupsExcept = (leftOut: readonly string[]): typeof routeGroups =>
  routeGroups.filter(({ name }) => !leftOut.includes(name));

/** Every route of the interface. */
export const allRoutes: readonly Route[] = routeGroups.flatMap(({ routes }) => routes);
