import { matchPath } from '../../../lib/http/routes.ts';

/** A route that takes a request, with what the path gives its parameters. */
export interface Choice<R> {
  route: R;
  pathParameters: Record<string, string>;
}

/** How closely a template says what it takes. API Gateway prefers the closest. */
const CLOSENESS = { literal: 0, parameter: 1, greedy: 2 } as const;

/**
 * Makes a chooser of routes by API Gateway's precedence, among those for the method: a full match, then
 * one with parameters, then a greedy one, then `$default`; the method by name before `ANY`. DESIGN.md 1.
 *
 * @param routes with keys as API Gateway writes them (`GET /rest/version`, `$default`)
 * @returns a function of method and decoded path, undefined when no route takes them
 */
export function routeChooser<R extends { routeKey: string }>(routes: readonly R[]) {
  const parsed = routes.filter(({ routeKey }) => routeKey !== '$default').map(parseRoute);
  const ordered = parsed.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const notFound = routes.find(({ routeKey }) => routeKey === '$default');

  return (method: string, path: string): Choice<R> | undefined => {
    for (const { route, routeMethod, template } of ordered) {
      if (routeMethod !== method && routeMethod !== 'ANY') continue;
      const pathParameters = matchPath(template, path);
      if (pathParameters !== undefined) return { route, pathParameters };
    }
    return notFound === undefined ? undefined : { route: notFound, pathParameters: {} };
  };
}

function parseRoute<R extends { routeKey: string }>(route: R) {
  const [routeMethod = '', template = ''] = route.routeKey.split(' ');
  const segments = template.split('/').map(closeness);
  // Texts of one digit a segment compare as wanted: first the worst segment, then segment by segment.
  const order = [Math.max(...segments), ...segments, routeMethod === 'ANY' ? 1 : 0].join('');
  return { route, routeMethod, template, order };
}

function closeness(segment: string): number {
  if (!/^\{.+\}$/.test(segment)) return CLOSENESS.literal;
  return segment.endsWith('+}') ? CLOSENESS.greedy : CLOSENESS.parameter;
}
