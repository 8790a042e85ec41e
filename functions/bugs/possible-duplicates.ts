import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { soughtWords } from '../../lib/bugs/comments/words.ts';
import { possibleDuplicatesQuery } from '../../lib/bugs/requests.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Condition } from '../../lib/search/conditions/conditions.ts';
import { fieldCondition } from '../../lib/search/conditions/field-condition.ts';
import type { SearchContext } from '../../lib/search/conditions/search-context.ts';
import type { BugQuery, BugResults } from '../../lib/search/search.ts';
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
  const named = { summary, products, limit };
  const { bugs, products: known } = await findPossibleDuplicates(named, context, services);
  const presentation = { request, caller, fields, workflow, known };
  return ok({ bugs: await presentBugs(bugs, presentation, services) });
};

/** What is found beside the limit, because duplicates become one. */
const SPARE = 5;
/** How often the original of a duplicate is looked for. */
const MAX_STEPS = 5;
const MAX_WORDS_OF_SUMMARY = 100;

/**
 * Finds bugs whose summaries have words of a given one, those with the most of them first; instead of a duplicate its original.
 *
 * @param products names; empty: all
 * @param limit of the bugs
 */
async function findPossibleDuplicates(
  { summary, products, limit }: { summary: string; products: readonly string[]; limit: number },
  context: SearchContext,
  { search }: BugServices,
): Promise<Partial<BugResults> & Pick<BugResults, 'bugs'>> {
  const words = new Set(soughtWords(summary).slice(0, MAX_WORDS_OF_SUMMARY));
  const find = async (
    [field, operator, given]: [string, string, string | readonly string[]],
    needs: BugQuery['needs'],
    others: readonly (Condition | undefined)[] = [],
  ) => {
    const condition = given.length === 0 ? undefined : fieldCondition(field, operator, given, context);
    if (condition === undefined) return { bugs: [] };
    const all = [condition, ...others].filter((one) => one !== undefined);
    return search.find({ condition: { all }, order: [], limit: undefined, offset: 0, needs }, context);
  };
  const byId = (ids: readonly number[]) => find(['bug_id', 'anyexact', ids.map(String)], 'bugs');
  const ofProducts =
    products.length === 0 ? undefined : fieldCondition('product', 'anyexact', products, context);
  const sought = [...words].join(' ');
  const found = await find(['short_desc', 'anywords', sought], new Set(['summary']), [ofProducts]);
  let ids = found.bugs
    .map((bug) => ({ id: bug.id, shared: words.intersection(new Set(soughtWords(bug.summary))).size }))
    .sort((a, b) => b.shared - a.shared || b.id - a.id)
    .slice(0, limit + SPARE)
    .map(({ id }) => id);
  let read = await byId(ids);
  for (let step = 0; step < MAX_STEPS && read.bugs.some(({ dupe_of }) => dupe_of !== null); step += 1) {
    const originals = new Map(read.bugs.map(({ id, dupe_of }) => [id, dupe_of ?? id]));
    ids = [...new Set(ids.map((id) => originals.get(id) ?? id))];
    read = await byId(ids);
  }
  const bugs = new Map(read.bugs.map((bug) => [bug.id, bug]));
  return { ...read, bugs: ids.flatMap((id) => bugs.get(id) ?? []).slice(0, limit) };
}
