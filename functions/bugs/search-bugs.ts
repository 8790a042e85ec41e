import { requireInteger } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import { type BugzillaRequest, ignoredHeader } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { readConditions } from '../../lib/search/conditions/parameters.ts';
import { isSet, type SearchParameters, textOf } from '../../lib/search/conditions/search-context.ts';
import { listOrder, readOrder, unknownColumns } from '../../lib/search/order.ts';
import { presentBugs, shownAttributes } from './present-bugs.ts';
import { lookUp, searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

/**
 * Returns the bugs that meet the request's conditions and that the caller may see, in order; with `count_only` their
 * number, whatever the limit.
 */
export const searchBugs: Endpoint<BugServices> = async (request, services) => {
  const { ignored, ...found } = await foundBugs(request, services);
  return ok(found, ignoredHeader(ignored));
};

/**
 * The bugs that a request searches for, as it selects them, and the names of ignored parameters. `total_matches`: how many there are
 * without `limit` and `offset`: with these, where it takes no further reads, or with `count_total`. With `count_only` no bugs, and their
 * number.
 */
export async function foundBugs(request: BugzillaRequest, services: BugServices) {
  const { search } = services;
  const { context, parameters, ignored: ignoredConditions } = await searchOf(request, services);
  const { caller, fields, workflow } = context;
  const orders = parameters.get('order') ?? [];
  // Bugzilla ignores an order that is given several times.
  const givenOrder = parameters.has('list_order')
    ? listOrder(textOf(parameters, 'list_order'))
    : orders.length === 1
      ? textOf(parameters, 'order')
      : '';
  const order = readOrder(givenOrder, context);
  // In Bugzilla's order.
  if (parameters.has('offset') && !parameters.has('limit')) throw errors.parameterMissing('limit');
  const condition = readConditions(parameters, context);
  const paging = readPaging(parameters);
  const ignored = () => [
    ...ignoredConditions(),
    ...unknownColumns(parameters.has('list_order') ? givenOrder : textOf(parameters, 'order'), context),
  ];
  if (order.some(({ field }) => field.name === 'last_visit_ts')) context.visits.require();
  await lookUp(context, services);
  if (isSet(parameters, 'count_only')) {
    return { bugs: [], bug_count: await search.count(condition, context), ignored: ignored() };
  }
  const needs = shownAttributes(request, fields) ?? 'bugs';
  const found = await search.find({ condition, order, ...paging, needs }, context);
  const bugs = await presentBugs(
    found.bugs,
    { request, caller, fields, workflow, known: found.products },
    services,
  );
  const isCounted = isSet(parameters, 'count_total');
  const isPart = paging.limit !== undefined;
  const total = isCounted ? (found.total ?? (await search.count(condition, context))) : found.total;
  const matches = isCounted || isPart ? total : undefined;
  return { bugs, ...(matches === undefined ? {} : { total_matches: matches }), ignored: ignored() };
}

function readPaging(parameters: SearchParameters): { limit: number | undefined; offset: number } {
  const limit = requireInteger('limit', textOf(parameters, 'limit') || '0');
  if (limit === 0) return { limit: undefined, offset: 0 };
  const hasOffset = parameters.has('offset');
  return { limit, offset: hasOffset ? requireInteger('offset', textOf(parameters, 'offset')) : 0 };
}
