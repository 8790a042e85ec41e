import { type BugItem, bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import { searchIndexKeys } from '../../../lib/bugs/search-index.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** Every bug has its entries in the search index, and every entry belongs to a bug. */
export function searchIndexCheck(table: Table): Check {
  return {
    async next(items) {
      const bugs = items
        .filter(({ pk, sk }) => kindOf(pk) === 'BUG' && sk === 'BUG')
        .map((item) => bugItem.parse(item));
      const entries = items.filter(({ pk }) => INDEXES.has(kindOf(pk)));
      const findings = await Promise.all([missingEntries(table, bugs), strayEntries(table, entries)]);
      return findings.flat();
    },
  };
}

const INDEXES: ReadonlySet<string> = new Set(['PRODUCTBUGS', 'USERBUGS', 'CHANGED']);

const unchanged = (bug: BugItem): Action => ({
  check: bugKey(bug.id),
  condition: 'comment_count = :count AND last_change_time = :time',
  values: { ':count': bug.comment_count, ':time': bug.last_change_time },
});

async function missingEntries(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const entries = await readBy(table, bugs.flatMap(searchIndexKeys), bugPointerItem);
  return bugs.flatMap((bug) =>
    searchIndexKeys(bug)
      .filter((key) => entries.get(keyText(key))?.bug_id !== bug.id)
      .map((key) => ({
        item: keyText(key),
        wrong: `bug ${bug.id} lacks this entry of the search index`,
        repair: [{ put: { ...key, bug_id: bug.id } }, unchanged(bug)],
      })),
  );
}

async function strayEntries(table: Table, items: Item[]): Promise<Finding[]> {
  const entries = items.map((item) => ({ item, id: bugPointerItem.parse(item).bug_id }));
  const bugs = await readBy(
    table,
    entries.map(({ id }) => bugKey(id)),
    bugItem,
  );
  return entries.flatMap(({ item, id }): Finding[] => {
    const bug = bugs.get(keyText(bugKey(id)));
    if (bug !== undefined && isEntryOf(bug, item)) return [];
    const remove: Action = { remove: { pk: String(item['pk']), sk: String(item['sk']) } };
    const still = bug === undefined ? { check: bugKey(id), condition: ABSENT } : unchanged(bug);
    const wrong = bug === undefined ? `bug ${id} does not exist` : `bug ${id} does not belong there`;
    return [{ item: keyText(item), wrong, repair: [remove, still] }];
  });
}

/** Comments leave the entry of the former change, which readers ignore. */
function isEntryOf(bug: BugItem, item: Item): boolean {
  if (kindOf(item['pk']) === 'CHANGED')
    return (String(item['sk']).split('#')[0] ?? '') <= bug.last_change_time;
  return searchIndexKeys(bug).some((key) => keyText(key) === keyText(item));
}
