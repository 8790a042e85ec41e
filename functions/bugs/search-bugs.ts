import * as z from 'zod/mini';
import { NamedValues, parseParameters, requireInteger, texts } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ignoredHeader } from '../../lib/http/known-parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { searchParametersOf } from '../../lib/people/saved-searches/run-saved-search.ts';
import { NamedPeople } from '../../lib/search/conditions/named-people.ts';
import { OwnVisits } from '../../lib/search/conditions/own-visits.ts';
import { readConditions, unknownStatuses } from '../../lib/search/conditions/parameters.ts';
import { loadMatcher } from '../../lib/search/conditions/regexp.ts';
import type { SearchContext } from '../../lib/search/conditions/search-context.ts';
import { isSet, type SearchParameters, textOf } from '../../lib/search/conditions/search-parameters.ts';
import { listOrder, readOrder, unknownColumns } from '../../lib/search/order.ts';
import { currentBudget } from '../../lib/table/consumption.ts';
import { presentBugs, shownAttributes } from './present-bugs.ts';
import type { BugServices } from './services.ts';

/**
 * Returns the bugs that meet the request's conditions and that the caller may see, in order; with `count_only` their
 * number, whatever the limit.
 */
export const searchBugs: Endpoint<BugServices> = async (request, services) => {
  const { ignored, ...found } = await foundBugs(request, services);
  return ok(found, ignoredHeader(ignored));
};

/** What a search finds. */
interface FoundBugs {
  /** as the request selects them */
  bugs: Record<string, unknown>[];
  /** how many there are without `limit` and `offset`: with these, where it takes no further reads, or with `count_total` */
  total_matches?: number;
  /** with `count_only`, and then `bugs` is empty */
  bug_count?: number;
  /** names of ignored parameters */
  ignored: string[];
}

/** The parameters of a search, what their conditions are read with, and the names of those that nothing has read. */
export async function searchOf(request: BugzillaRequest, services: BugServices) {
  const { bugSettings, settings, now } = services;
  const given = await searchParametersOf(request.parameters, request.caller, services);
  const parameters = parseParameters(searchParameters, given);
  const [caller, { legal, fields, workflow }] = await Promise.all([
    request.caller,
    bugSettings.read(),
    loadMatcher(parameters),
  ]);
  const context: SearchContext = {
    fields,
    now: now(),
    caller,
    login: caller.user?.login ?? '',
    legal,
    workflow,
    isTimeTracker: isInGroup(caller, settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, settings.INSIDER_GROUP),
    people: new NamedPeople(caller),
    visits: new OwnVisits(caller),
    budget: currentBudget(),
  };
  const ignored = () => [
    ...parameters.ignored(),
    ...(parameters.has('bug_status_type') ? [] : unknownStatuses(parameters, context)),
  ];
  return { context, parameters, ignored };
}

/** The bugs that a request searches for. */
export async function foundBugs(request: BugzillaRequest, services: BugServices): Promise<FoundBugs> {
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
  await Promise.all([context.people.lookUp(services.users), context.visits.lookUp(services.lastVisits)]);
  if (isSet(parameters, 'count_only')) {
    return { bugs: [], bug_count: await search.count(condition, context), ignored: ignored() };
  }
  const needs = shownAttributes(request, fields) ?? 'bugs';
  const found = await search.find({ condition, order, ...paging, needs }, context);
  const bugs = await presentBugs(
    found.bugs,
    { request, caller, shown: { fields, workflow }, known: found.products },
    services,
  );
  const isCounted = isSet(parameters, 'count_total');
  const isPart = paging.limit !== undefined;
  const total = isCounted ? (found.total ?? (await search.count(condition, context))) : found.total;
  const matches = isCounted || isPart ? total : undefined;
  return { bugs, ...(matches === undefined ? {} : { total_matches: matches }), ignored: ignored() };
}

/** Every parameter of a search is a list of texts. */
const searchParameters = z.pipe(
  z.record(z.string(), texts),
  z.transform((given) => new NamedValues(Object.entries(given))),
);

function readPaging(parameters: SearchParameters): { limit: number | undefined; offset: number } {
  const limit = requireInteger('limit', textOf(parameters, 'limit') || '0');
  if (limit === 0) return { limit: undefined, offset: 0 };
  const hasOffset = parameters.has('offset');
  return { limit, offset: hasOffset ? requireInteger('offset', textOf(parameters, 'offset')) : 0 };
}
