/** Which callers an endpoint answers. REFERENCE.md 3. */
export type AuthPolicy =
  /** anybody; credentials are not even looked at */
  | 'unchecked'
  /** anybody, also where the deployment requires login; credentials that are given must be good */
  | 'always'
  /** anybody, unless the deployment requires login */
  | 'readers'
  /** users only */
  | 'users';

/** One route of the interface: CDK, the local gateway, the handlers and `$default` read it from here. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'ANY';
  /** API Gateway's template: `{name}` is one segment, `{name+}` the rest; `$default` takes what no other does */
  path: string;
  /** which of the group's endpoints answers */
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

/** What API Gateway calls a route: `GET /rest/version`, `$default`. */
export function routeKey(route: Pick<Route, 'method' | 'path'>): string {
  return route.path === '$default' ? route.path : `${route.method} ${route.path}`;
}

/**
 * Fits a path to a route's template.
 *
 * @param path decoded
 * @returns the path parameters by name, decoded; undefined when it does not fit
 */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [place, part] of wanted.entries()) {
    const name = /^\{([^+}]+)(\+?)\}$/.exec(part);
    const segment = given[place];
    if (segment === undefined) return undefined;
    if (name?.[1] === undefined) {
      if (segment !== part) return undefined;
      continue;
    }
    const value = name[2] === '+' ? given.slice(place).join('/') : segment;
    if (value === '') return undefined;
    parameters[name[1]] = value;
    if (name[2] === '+') return parameters;
  }
  return given.length === wanted.length ? parameters : undefined;
}

/**
 * Whether a path parameter is one that Bugzilla would route: the rest of a path that ends in a slash, or
 * begins with one, is another path. REFERENCE.md 1 (routes match exactly).
 */
export function isExactParameter(value: string): boolean {
  return value !== '' && !value.startsWith('/') && !value.endsWith('/');
}
