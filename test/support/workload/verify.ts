import type { Item } from '../../../lib/table/read.ts';
import { type Ledger, normalizedTags, type Written } from './workload.ts';

/**
 * Compares the writes of a workload with the table: acknowledged ones are stored exactly once, refused ones not, those
 * with an unknown outcome at most once; tags and descriptions are the last acknowledged ones.
 *
 * @returns a line for each violation
 */
export function problemsOf({ written, tagged, described }: Ledger, items: Item[]): string[] {
  const byText = Map.groupBy(items, ({ sk, text, description }) => (sk === 'PRODUCT' ? description : text));
  const stored = new Map(items.map((item) => [storedAs(item), item]));
  return [
    ...written.flatMap((one) => problemOf(one, byText.get(one.text) ?? [])),
    ...tagged.flatMap(({ comment, possible }) => {
      const tags = normalizedTags(stored.get(`comment ${comment}`)?.['tags'] as string[]);
      return possible.has(tags) ? [] : [`comment ${comment} has the tags '${tags}'`];
    }),
    ...described.flatMap(({ product, possible }) => {
      const description = String(stored.get(`product ${product}`)?.['description']);
      return possible.has(description) ? [] : [`product ${product} has the description '${description}'`];
    }),
  ];
}

function storedAs({ sk, id }: Item): string {
  if (sk.startsWith('COMMENT#')) return `comment ${id}`;
  return sk === 'PRODUCT' ? `product ${id}` : '';
}

const ALLOWED = { acknowledged: [1], refused: [0], unknown: [0, 1] };

function problemOf({ kind, text, outcome, id, bug }: Written, found: Item[]): string[] {
  if (!ALLOWED[outcome].includes(found.length)) return [`${outcome} ${text} is stored ${found.length} times`];
  const [item] = found;
  if (outcome !== 'acknowledged' || item === undefined) return [];
  const storedId = kind === 'bug' ? item['bug_id'] : item['id'];
  const isInPlace = storedId === id && (bug === undefined || item['bug_id'] === bug);
  return isInPlace ? [] : [`${text} is stored as ${storedId} of bug ${item['bug_id']}, not ${id} of ${bug}`];
}
