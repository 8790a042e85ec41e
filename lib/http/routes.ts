import type { TablePermission } from '../table/table.ts';

/** Who may use a route; enforced by the middleware `authenticate`. */
export type AuthPolicy =
  /** anonymous access; credentials are ignored */
  | 'none'
  /** anonymous access; credentials are ignored, except for a login with its password, as in Bugzilla */
  | 'login exempt'
  /** anonymous access, even if the deployment requires login; credentials must be valid */
  | 'always public'
  /** anonymous access, unless the deployment requires login */
  | 'public'
  /** authenticated users */
  | 'user'
  /** users with the right `editComponents`, and in groups that give it for a product, which the operation looks at (requireEditor) */
  | 'editcomponents of a product'
  /** users with one of RIGHTS */
  | 'editComponents'
  | 'editKeywords'
  | 'editUsers'
  | 'createGroups'
  | 'readAudit'
  /** users in the group of comment taggers */
  | 'tagger';

/** The methods of routes. A request that writes has a body, and is refused in read-only deployments. */
const METHODS = {
  GET: { writes: false },
  HEAD: { writes: false },
  POST: { writes: true },
  PUT: { writes: true },
  DELETE: { writes: true },
  /** of `$default`, which answers unknown paths, and of the other methods of a path */
  ANY: { writes: false },
} as const;
/** Whether requests of a route write, and have a body. */
export const writes = ({ method }: Pick<Route, 'method'>): boolean => METHODS[method].writes;

/** One route. CDK, the local gateway, the handlers, OpenAPI and `$default` read it. */
export interface Route {
  method: keyof typeof METHODS;
  /** path template of API Gateway: `{name}` is one segment, `{name+}` the rest; `$default` everything else */
  path: string;
  /** name of the endpoint in the endpoint group's `index.ts` */
  endpoint: string;
  authPolicy: AuthPolicy;
  /** whether it is for the pages of the same address alone: other origins are refused */
  isForOwnPages?: boolean;
  /** whether it is served, though it writes, while the deployment is read-only, or an import has closed the table */
  isAlwaysOpen?: boolean;
  /** whether the body is not read, of whatever type it is: parameters are in the query string */
  ignoresBody?: boolean;
}

/** A route: `GET`, its path, its endpoint, who may use it, and what else is special about it. */
export const route = <M extends Route['method'], P extends string, E extends string>(
  method: M,
  path: P,
  endpoint: E,
  authPolicy: AuthPolicy,
  others: Pick<Route, 'isForOwnPages' | 'isAlwaysOpen' | 'ignoresBody'> = {},
) => ({ method, path, endpoint, authPolicy, ...others });

/** A file of the project. */
export interface SourceAsset {
  name: string;
  /** path of the source, relative to the project */
  source: string;
}

/** A file with the value of an option of the stage, as JSON; without a value there is no file. */
interface OptionAsset {
  name: string;
  option: keyof OptionAssets;
}

/** Values of options of a stage that functions read from a file, because environment variables have 4 KB at most. */
export interface OptionAssets {
  webhooks?: readonly unknown[];
}

/** A group of routes that one Lambda function serves: the data that CDK, the local gateway and OpenAPI read. */
export interface EndpointGroup {
  /** the folder in functions/, whose index.ts exports `handler` */
  name: string;
  routes: readonly Route[];
  /** everything that the function may do with the table */
  permissions: readonly TablePermission[];
  assets: readonly (SourceAsset | OptionAsset)[];
  /** whether a deployment can leave it out */
  isOptional: boolean;
}

/** Routes with one for HEAD for each GET route. functions/README.md 1. */
export const withHead = (routes: readonly Route[]): Route[] =>
  routes.flatMap((route) =>
    route.method === 'GET' ? [route, { ...route, method: 'HEAD' as const }] : [route],
  );

const [REST, SCRIPT] = ['/rest/', '/rest.cgi/'];

/** Paths that Bugzilla does not have, so no client has them built in with the script. */
export const OWN_PATHS = '/rest/bugless/';
const OTHERS = new Set(['/rest/openapi.json', '/rest/webhooks/list', '/rest/bug/possible_duplicates']);

/** A route also under the path of Bugzilla's script, which some clients have built in. */
const withScript = (route: Route): Route[] =>
  route.path.startsWith(REST) && !route.path.startsWith(OWN_PATHS) && !OTHERS.has(route.path)
    ? [route, { ...route, path: `${SCRIPT}${route.path.slice(REST.length)}` }]
    : [route];

/** A path, or a route key, under `/rest/` where it is under `/rest.cgi/`. */
export const withoutScript = (path: string): string => path.replace(/^([A-Z]+ )?\/rest\.cgi\//, `$1${REST}`);

/**
 * The path of a route in API Gateway, which has no paths that end in a slash: `/rest/bug/` becomes
 * `/rest/bug/{proxy+}`, which also matches other paths. `matchRoute` looks at the path itself.
 */
export const apiPath = ({ path }: Pick<Route, 'path'>): string =>
  path !== '/' && path.endsWith('/') ? `${path}{proxy+}` : path;

/** The route key of API Gateway: `GET /rest/version`, `$default`. */
export function routeKey(route: Pick<Route, 'method' | 'path'>): string {
  return route.path === '$default' ? route.path : `${route.method} ${apiPath(route)}`;
}

/** What another function has than the rest of the path; other methods of `/` are those of former interfaces. */
const APART = new Set(['POST /rest/user', 'PUT /rest/user/{id_or_name}', 'GET /', 'HEAD /']);

/**
 * The keys of the routes that API Gateway has for a group: one for all methods of a path, because CloudFormation has 500 resources
 * in a stack, and also under the path of Bugzilla's script. The group of `$default` needs no other.
 */
export function gatewayRouteKeys(routes: readonly Route[]): string[] {
  if (routes.some(({ path }) => path === '$default')) return ['$default'];
  const keys = withHead(routes).flatMap((route) =>
    withScript(APART.has(routeKey(route)) ? route : { ...route, method: 'ANY' }).map(routeKey),
  );
  return [...new Set(keys)];
}

/** Place of the first segment of a path. */
const ROOT = 1;

/**
 * Matches a path against a path template, as API Gateway does: a segment is never empty, and the rest only below
 * another segment.
 *
 * @param path decoded
 * @returns the path parameters by name, decoded; undefined when it does not match
 */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/');
  const given = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const name = /^\{([^+}]+)(\+?)\}$/.exec(part);
    const segment = given[index];
    if (segment === undefined) return undefined;
    if (name?.[1] === undefined) {
      if (segment !== part) return undefined;
      continue;
    }
    const value = name[2] === '+' ? given.slice(index).join('/') : segment;
    if (value === '' && (name[2] !== '+' || index === ROOT)) return undefined;
    parameters[name[1]] = value;
    if (name[2] === '+') return parameters;
  }
  return given.length === expected.length ? parameters : undefined;
}

/**
 * Whether Bugzilla would route a path parameter: a greedy one that begins or ends with a slash is another path.
 */
export function isExactParameter(value: string): boolean {
  return value !== '' && !value.startsWith('/') && !value.endsWith('/');
}

/** The routes that a path has, of these. */
export const routesOf = (routes: readonly Route[], path: string): Route[] =>
  withHead(routes).filter((route) => {
    const parameters = matchPath(route.path, path);
    return parameters !== undefined && Object.values(parameters).every(isExactParameter);
  });
