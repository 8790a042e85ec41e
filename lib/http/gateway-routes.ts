import { type Route, routeKey, withHead, withScript } from './routes.ts';

/**
 * The paths of 1.1.0. They have a route in API Gateway for each method: its code knows no `ANY` routes, and while CloudFormation rolls
 * back to it, or on from it, functions are replaced before routes. Without 1.1.0 as a neighbour, the list goes.
 */
const RELEASED = new Set([
  '/',
  '/api',
  '/attachment.cgi',
  '/buglist.cgi',
  '/explorer/{file}',
  '/rest/bug',
  '/rest/bug/',
  '/rest/bug/attachment/{attachment_id}',
  '/rest/bug/comment/tags/{query}',
  '/rest/bug/comment/{comment_id}',
  '/rest/bug/comment/{comment_id}/tags',
  '/rest/bug/{id_or_alias}',
  '/rest/bug/{id_or_alias}/attachment',
  '/rest/bug/{id_or_alias}/comment',
  '/rest/bug/{id_or_alias}/history',
  '/rest/bug_user_last_visit/{id}',
  '/rest/classification/{id_or_name+}',
  '/rest/component',
  '/rest/extensions',
  '/rest/field/bug',
  '/rest/field/bug/{id_or_name}',
  '/rest/field/bug/{name}/values',
  '/rest/field/bug/{name}/{product_id}/values',
  '/rest/flag_type',
  '/rest/flag_type/{id_or_name+}',
  '/rest/group',
  '/rest/group/{id_or_name+}',
  '/rest/last_audit_time',
  '/rest/login',
  '/rest/logout',
  '/rest/openapi.json',
  '/rest/parameters',
  '/rest/product',
  '/rest/product/{id_or_name+}',
  '/rest/product_accessible',
  '/rest/product_enterable',
  '/rest/product_selectable',
  '/rest/time',
  '/rest/timezone',
  '/rest/user',
  '/rest/user/{id_or_name}',
  '/rest/valid_login',
  '/rest/version',
  '/rest/whoami',
  '/show_bug.cgi',
]);

/**
 * The keys of the routes that API Gateway has for a group: one for all methods of a path, because CloudFormation has 500 resources
 * in a stack, and also under the path of Bugzilla's script.
 */
export function gatewayRouteKeys(routes: readonly Route[]): string[] {
  const keys = withHead(routes).flatMap((route) => {
    const isReleased = route.path === '$default' || RELEASED.has(route.path);
    return withScript(isReleased ? route : { ...route, method: 'ANY' }).map(routeKey);
  });
  return [...new Set(keys)];
}
