import * as z from 'zod/mini';
import { NamedValues, parseParameters, texts } from '../../lib/base/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { searchParametersOf } from '../../lib/people/saved-searches/run-saved-search.ts';
import { unknownOperators } from '../../lib/search/conditions/charts.ts';
import { Duplicates } from '../../lib/search/conditions/duplicates.ts';
import { NamedPeople } from '../../lib/search/conditions/named-people.ts';
import { OwnVisits } from '../../lib/search/conditions/own-visits.ts';
import { unknownStatuses } from '../../lib/search/conditions/parameters.ts';
import { loadMatcher } from '../../lib/search/conditions/regexp.ts';
import type { SearchContext } from '../../lib/search/conditions/search-context.ts';
import { currentBudget } from '../../lib/table/consumption.ts';
import type { BugServices } from './services.ts';

/** Every parameter of a search is a list of texts. */
const searchParameters = z.pipe(
  z.record(z.string(), texts),
  z.transform((given) => new NamedValues(Object.entries(given))),
);

/** The parameters of a search, what their conditions are read with, and the names of those that nothing has read. */
export async function searchOf(
  request: BugzillaRequest,
  services: Pick<BugServices, 'bugSettings' | 'now' | 'products' | 'savedSearches' | 'settings' | 'users'>,
) {
  const { bugSettings, settings, now } = services;
  // In the call that reads the caller.
  const productIndex = Array.fromAsync(services.products.index()).then((pages) => pages.flat());
  productIndex.catch(() => undefined);
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
    productIndex,
    isTimeTracker: isInGroup(caller, settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, settings.INSIDER_GROUP),
    people: new NamedPeople(caller),
    visits: new OwnVisits(caller),
    duplicates: new Duplicates(),
    budget: currentBudget(),
  };
  const ignored = () => [
    ...parameters.ignored(),
    ...unknownOperators(parameters),
    ...(parameters.has('bug_status_type') ? [] : unknownStatuses(parameters, context)),
  ];
  return { context, parameters, ignored };
}

/** Looks up what conditions need beside the bugs: people by name, visits, and duplicates. */
export const lookUp = (
  context: SearchContext,
  { users, lastVisits, search }: BugServices,
): Promise<unknown> =>
  Promise.all([
    context.people.lookUp(users),
    context.visits.lookUp(lastVisits),
    context.duplicates.lookUp((query) => search.find(query, context)),
  ]);
