import { join } from 'node:path';
import * as z from 'zod/mini';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { openGround, openHandlers } from './environment.ts';
import { printTable } from './print.ts';
import { ANONYMOUS, randomSearches, type Search } from './searches/generate.ts';
import { type Answer, explain } from './searches/kinds.ts';

const CATALOGUE = join(import.meta.dirname, '../reference/extras-catalog.json');
const DEFAULT_SEARCHES = 1_000;

const responseBody = z.object({
  bugs: z.optional(z.array(z.object({ id: z.number() }))),
  code: z.optional(z.number()),
});

/** The target of a search: what it finds is known by ids. */
const targetOf = ({ parameters }: Search): string =>
  `/rest/bug?${new URLSearchParams([...parameters, ['include_fields', 'id']])}`;

function answerOf(status: number, text: string, isOrdered: boolean): Answer {
  const body = responseBody.parse(text.startsWith('{') ? JSON.parse(text) : {});
  if (body.bugs === undefined) return { status, code: body.code ?? 0 };
  const ids = body.bugs.map(({ id }) => id);
  return { ids: isOrdered ? ids : ids.toSorted((a, b) => a - b) };
}

const EQUAL = 'equal';
const UNEXPLAINED = 'unexplained';

const print = (search: Search, there: Answer, here: Answer): void =>
  console.log(
    `${search.as} ${targetOf(search)}\n  there ${JSON.stringify(there)}\n  here  ${JSON.stringify(here)}`,
  );

/**
 * Sends random searches to Bugless with the catalogue of the tests, and to a Bugzilla 5.2 with the same data: counts the answers that
 * are equal, those that differ as documented, by kind, and prints the others.
 *
 * @param count of searches
 * @param beside address of the Bugzilla
 * @param seed of the searches
 */
export async function searches(count = DEFAULT_SEARCHES, beside?: string, seed = 1): Promise<void> {
  if (beside === undefined) throw new Error('searches: --beside URL names a Bugzilla 5.2 with the same data');
  const catalogue = await readCatalogueFile(CATALOGUE);
  const keys = new Map(catalogue.users.map(({ login, api_keys }) => [login.split('@')[0], api_keys[0]?.key]));
  const ground = await openGround(catalogue);
  const { invoke } = await openHandlers(ground.table.name, ground.endpoint);
  const ask = async (search: Search): Promise<[there: Answer, here: Answer]> => {
    const isOrdered = new Map(search.parameters).has('order');
    const key = search.as === ANONYMOUS ? undefined : keys.get(search.as);
    const target = targetOf(search);
    const ownKey = key === undefined ? '' : `&Bugzilla_api_key=${key}`;
    const [response, result] = await Promise.all([
      fetch(`${beside}${target}${ownKey}`),
      invoke({ method: 'GET', target, key }),
    ]);
    return [
      answerOf(response.status, await response.text(), isOrdered),
      answerOf(result.statusCode, result.body, isOrdered),
    ];
  };
  /** A kind explains a difference where the search without what causes it has none, or one that is explained. */
  const kindOf = async (search: Search): Promise<string> => {
    const [there, here] = await ask(search);
    if (JSON.stringify(there) === JSON.stringify(here)) return EQUAL;
    const { kind = UNEXPLAINED, rest } = explain(search, there, here) ?? {};
    const isWhole = rest === undefined || (await kindOf(rest)) !== UNEXPLAINED;
    if (!isWhole || kind === UNEXPLAINED) print(search, there, here);
    return isWhole ? kind : UNEXPLAINED;
  };
  const found = new Map<string, number>();
  for (const search of randomSearches(seed).take(count)) {
    const kind = await kindOf(search);
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  printTable(
    `${count} searches of seed ${seed} beside ${beside}`,
    [...found].map(([kind, searches]) => ({
      kind,
      searches,
      share: `${((100 * searches) / count).toFixed(2)} %`,
    })),
  );
  await ground.stop();
}
