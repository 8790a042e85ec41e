import type { Route } from '../lib/http/routes.ts';
import { routes as bugs } from './bugs/routes.ts';
import { routes as commentTags } from './comment-tags/routes.ts';
import { routes as comments } from './comments/routes.ts';
import { routes as explorer } from './explorer/routes.ts';
import { routes as products } from './products/routes.ts';
import { routes as serviceInfo } from './service-info/routes.ts';

/** Every route, by the group that answers it: a group is a folder here, and a Lambda function when deployed. */
export const groups: Readonly<Record<string, readonly Route[]>> = {
  products,
  bugs,
  comments,
  'comment-tags': commentTags,
  'service-info': serviceInfo,
  explorer,
};

/** The groups but for some, by their names. */
export const groupsExcept = (leftOut: readonly string[]): typeof groups =>
  Object.fromEntries(Object.entries(groups).filter(([group]) => !leftOut.includes(group)));

/** Every route of the interface. */
export const allRoutes: readonly Route[] = Object.values(groups).flat();
