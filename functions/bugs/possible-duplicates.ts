import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { soughtWords } from '../../lib/bugs/comments/words.ts';
import { possibleDuplicatesQuery } from '../../lib/bugs/requests.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Condition } from '../../lib/search/conditions/conditions.ts';
import { fieldCondition } from '../../lib/search/conditions/field-condition.ts';
import { presentBugs } from './present-bugs.ts';
import { searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

const MAX_LIMIT = 25;
/** What is found beside the limit, because duplicates become one. */
const SPARE = 5;
/** How often the original of a duplicate is looked for. */
const MAX_STEPS = 5;
const MAX_WORDS = 100;

/**
 * Returns bugs whose summaries have words of the given one, those with the most of them first; instead of a duplicate its original.
 * functions/bugs/README.md 2.8
 */
export const possibleDuplicates: Endpoint<BugServices> = async (request, services) => {
  const { summary, products, limit } = parseParameters(possibleDuplicatesQuery, request.parameters);
  if (!summary) throw errors.parameterMissing('summary');
  const most = Math.min(requireInteger('limit', limit || '0') || MAX_LIMIT, MAX_LIMIT);
  const { context } = await searchOf(request, services);
  const { caller, fields, workflow } = context;
  const words = new Set(soughtWords(summary).slice(0, MAX_WORDS));
  const find = async (
    field: string,
    operator: string,
    given: string | readonly string[],
    others: Condition[],
  ) => {
    const condition = given.length === 0 ? undefined : fieldCondition(field, operator, given, context);
    if (condition === undefined) return { bugs: [], products: undefined };
    const query = { condition: { all: [condition, ...others] }, order: [], limit: undefined, offset: 0 };
    return services.search.find(
      { ...query, needs: field === 'bug_id' ? 'bugs' : new Set(['summary']) },
      context,
    );
  };
  const ofProducts =
    products.length === 0 ? undefined : fieldCondition('product', 'anyexact', products, context);
  const found = await find(
    'short_desc',
    'anywords',
    [...words].join(' '),
    ofProducts === undefined ? [] : [ofProducts],
  );
  let ids = found.bugs
    .map((bug) => ({ id: bug.id, shared: words.intersection(new Set(soughtWords(bug.summary))).size }))
    .sort((a, b) => b.shared - a.shared || b.id - a.id)
    .slice(0, most + SPARE)
    .map(({ id }) => id);
  let read = await find('bug_id', 'anyexact', ids.map(String), []);
  for (let step = 0; step < MAX_STEPS && read.bugs.some(({ dupe_of }) => dupe_of !== null); step += 1) {
    const originals = new Map(read.bugs.map(({ id, dupe_of }) => [id, dupe_of ?? id]));
    ids = [...new Set(ids.map((id) => originals.get(id) ?? id))];
    read = await find('bug_id', 'anyexact', ids.map(String), []);
  }
  const byId = new Map(read.bugs.map((bug) => [bug.id, bug]));
  const shown = ids.flatMap((id) => byId.get(id) ?? []).slice(0, most);
  const presentation = { request, caller, shown: { fields, workflow }, known: read.products };
  return ok({ bugs: await presentBugs(shown, presentation, services) });
};
