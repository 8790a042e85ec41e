import { matchPath } from '../../../lib/http/routes.ts';

/** The route of a request with its path parameters. */
export interface Choice<R> {
  route: R;
  pathParameters: Record<string, string>;
}

/** API Gateway prefers the most specific template. */
const SPECIFICITY = { literal: 0, parameter: 1, greedy: 2 } as const;

/**
 * A function that selects the route of a request with API Gateway's precedence: a full match, then a template with
 * parameters, then a greedy one, then `$default`; the method by name before `ANY`.
 *
 * @param routes with API Gateway's route keys (`GET /rest/version`, `$default`)
 * @returns a function of the method and the decoded path; undefined when no route matches
 */
export function routeChooser<R extends { routeKey: string }>(routes: readonly R[]) {
  const parsed = routes.filter(({ routeKey }) => routeKey !== '$default').map(parseRoute);
  const ordered = parsed.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const defaultRoute = routes.find(({ routeKey }) => routeKey === '$default');

  return (method: string, path: string): Choice<R> | undefined => {
    for (const { route, routeMethod, template } of ordered) {
      if (routeMethod !== method && routeMethod !== 'ANY') continue;
      const pathParameters = matchPath(template, path);
      if (pathParameters !== undefined) return { route, pathParameters };
    }
    return defaultRoute === undefined ? undefined : { route: defaultRoute, pathParameters: {} };
  };
}

function parseRoute<R extends { routeKey: string }>(route: R) {
  const [routeMethod = '', template = ''] = route.routeKey.split(' ');
  const segments = template.split('/').map(specificity);
  // One digit for each segment, so that strings compare by the least specific segment, then segment by segment.
  const order = [Math.max(...segments), ...segments, routeMethod === 'ANY' ? 1 : 0].join('');
  return { route, routeMethod, template, order };
}

function specificity(segment: string): number {
  if (!/^\{.+\}$/.test(segment)) return SPECIFICITY.literal;
  return segment.endsWith('+}') ? SPECIFICITY.greedy : SPECIFICITY.parameter;
}
