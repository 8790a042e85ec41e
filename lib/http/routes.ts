/** Who may use a route; enforced by the middleware `authenticate`. */
export type AuthPolicy =
  /** everybody; credentials are ignored */
  | 'none'
  /** everybody, even where the deployment requires login; credentials that are given must be valid */
  | 'always public'
  /** everybody, unless the deployment requires login */
  | 'public'
  /** authenticated users */
  | 'user'
  /** users in the group `editcomponents` */
  | 'editcomponents'
  /** users in the group of comment taggers */
  | 'tagger';

/** One route. CDK, the local gateway, the handlers, OpenAPI and `$default` read it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'ANY';
  /** path template of API Gateway: `{name}` is one segment, `{name+}` the rest; `$default` everything else */
  path: string;
  /** name of the endpoint in the group's `index.ts` */
  endpoint: string;
  authPolicy: AuthPolicy;
}

/** Actions that a group performs on items of the table. */
export interface TablePermission {
  /** IAM actions, such as `dynamodb:GetItem` */
  actions: readonly string[];
  /** patterns of the partition keys, in IAM's `StringLike` syntax */
  partitions: readonly string[];
}

/** A file that is deployed beside the bundle of a group. */
export interface Asset {
  /** file name in the bundle's folder */
  name: string;
  /** path of the source, relative to the project */
  source: string;
}

/** A group of routes that one Lambda function serves: the data that CDK, the local gateway and OpenAPI read. */
export interface Group {
  /** the folder in functions/, whose index.ts exports `handler` */
  name: string;
  routes: readonly Route[];
  /** everything that the function may do with the table */
  permissions: readonly TablePermission[];
  assets: readonly Asset[];
  /** whether a deployment can leave the group out */
  isOptional: boolean;
}

/** The route key of API Gateway: `GET /rest/version`, `$default`. */
export function routeKey(route: Pick<Route, 'method' | 'path'>): string {
  return route.path === '$default' ? route.path : `${route.method} ${route.path}`;
}

/**
 * The greedy parameter of a template for a path that ends in a slash. API Gateway takes no template that does, but
 * matches a greedy parameter with nothing.
 */
const EMPTY_REST = 'empty';

/** A path template as it is documented. */
export const documentedPath = (path: string): string =>
  path.replace(`{${EMPTY_REST}+}`, '').replaceAll('+}', '}');

/**
 * Matches a path against a path template.
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
    if ((value === '') !== (name[1] === EMPTY_REST)) return undefined;
    parameters[name[1]] = value;
    if (name[2] === '+') return parameters;
  }
  return given.length === expected.length ? parameters : undefined;
}

/**
 * Whether Bugzilla would route a path with these parameters: where a greedy one begins or ends with a slash, it is
 * another path.
 */
export const areExactParameters = (parameters: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(parameters).every(([name, value]) => value === undefined || isExact(name, value));

function isExact(name: string, value: string): boolean {
  if (name === EMPTY_REST) return value === '';
  return value !== '' && !value.startsWith('/') && !value.endsWith('/');
}
