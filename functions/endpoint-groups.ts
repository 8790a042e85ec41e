import type { EndpointGroup, Route } from '../lib/http/routes.ts';
import { endpointGroup as account } from './account/endpoints.ts';
import { endpointGroup as administration } from './administration/endpoints.ts';
import { endpointGroup as attachments } from './attachments/endpoints.ts';
import { endpointGroup as bugs } from './bugs/endpoints.ts';
import { endpointGroup as commentTags } from './comment-tags/endpoints.ts';
import { endpointGroup as comments } from './comments/endpoints.ts';
import { endpointGroup as explorer } from './explorer/endpoints.ts';
import { endpointGroup as products } from './products/endpoints.ts';
import { endpointGroup as serviceInfo } from './service-info/endpoints.ts';

const registered = [
  products,
  bugs,
  attachments,
  comments,
  commentTags,
  administration,
  serviceInfo,
  account,
  explorer,
] as const;

/** The names of the endpoint groups, for lists that must be complete. */
export type EndpointGroupName = (typeof registered)[number]['name'];

/** Every endpoint group. This module loads data only: neither the AWS SDK nor CDK. */
export const endpointGroups: readonly (EndpointGroup & { name: EndpointGroupName })[] = registered;

/** The endpoint groups without those of these names. */
export const endpointGroupsExcept = (leftOut: readonly string[]): typeof endpointGroups =>
  endpointGroups.filter(({ name }) => !leftOut.includes(name));

/** Every route of the interface. */
export const allRoutes: readonly Route[] = endpointGroups.flatMap(({ routes }) => routes);
