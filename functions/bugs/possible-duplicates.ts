import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { possibleDuplicatesQuery } from '../../lib/bugs/requests.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { findPossibleDuplicates } from '../../lib/search/possible-duplicates.ts';
import { presentBugs } from './present-bugs.ts';
import { searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

const MAX_DUPLICATES = 25;

/** Returns bugs that a new one may be a duplicate of. functions/bugs/README.md 2.8 */
export const possibleDuplicates: Endpoint<BugServices> = async (request, services) => {
  const { summary, products, limit: given } = parseParameters(possibleDuplicatesQuery, request.parameters);
  if (!summary) throw errors.parameterMissing('summary');
  const limit = Math.min(requireInteger('limit', given || '0') || MAX_DUPLICATES, MAX_DUPLICATES);
  const { context } = await searchOf(request, services);
  const { caller, fields, workflow } = context;
  const { bugs, products: known } = await findPossibleDuplicates(
    { summary, products, limit },
    context,
    (query) => services.search.find(query, context),
  );
  const presentation = { request, caller, shown: { fields, workflow }, known };
  return ok({ bugs: await presentBugs(bugs, presentation, services) });
};
