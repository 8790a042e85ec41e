import { type BugItem, bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import { searchIndexKeys } from '../../../lib/bugs/search-index.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, changedKey, type Key } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

const INDEX: ReadonlySet<string> = new Set(['PRODUCTBUGS', 'USERBUGS', 'CHANGED']);

/**
 * A bug stands in the search index under its product, its users and the time of its last change; entries of the index
 * belong to bugs that exist, and say what these say. Entries of earlier changes may remain.
 */
export function searchIndexCheck(table: Table): Check {
  return {
    async next(items) {
      const bugs = items.filter(({ sk }) => sk === 'BUG').map((item) => bugItem.parse(item));
      const entries = items.filter(({ pk }) => INDEX.has(kindOf(pk)));
      const all = await Promise.all([
        missingEntries(table, bugs),
        strayEntries(table, entries),
        otherEnds(table, bugs),
      ]);
      return all.flat();
    },
  };
}

/** Holds as long as neither the bug nor its comments have changed. */
const unchanged = (bug: BugItem): Action => ({
  check: bugKey(bug.id),
  condition:
    'last_change_time = :time AND comment_count = :count AND (attribute_not_exists(revision) OR revision = :revision)',
  values: { ':time': bug.last_change_time, ':count': bug.comment_count, ':revision': bug.revision },
});

async function missingEntries(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const wanted = bugs.flatMap((bug) => searchIndexKeys(bug).map((key) => ({ bug, key })));
  const entries = await readBy(
    table,
    wanted.map(({ key }) => key),
    bugPointerItem,
  );
  return wanted.flatMap(({ bug, key }): Finding[] => {
    const item = keyText(key);
    if (entries.get(item)?.bug_id === bug.id) return [];
    const repair: Action[] = [{ put: { ...key, bug_id: bug.id } }, unchanged(bug)];
    return [{ item, wrong: `bug ${bug.id} is not found here`, lasting: lastingOf(key, bug), repair }];
  });
}

/** While users work, the time of the last change is another one each time. */
const lastingOf = ({ pk }: Key, { id }: BugItem): string => `bug ${id} is not found under ${kindOf(pk)}`;

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
    const still: Action = bug === undefined ? { check: bugKey(id), condition: ABSENT } : unchanged(bug);
    const remove: Action = { remove: { pk: String(item['pk']), sk: String(item['sk']) } };
    const wrong = `it leads to bug ${id}, which ${bug === undefined ? 'does not exist' : 'belongs elsewhere'}`;
    return [{ item: keyText(item), wrong, repair: [remove, still] }];
  });
}

function isEntryOf(bug: BugItem, item: Item): boolean {
  if (searchIndexKeys(bug).some((key) => keyText(key) === keyText(item))) return true;
  const time = String(item['sk']).split('#', 1)[0] ?? '';
  const isEarlier = time < bug.last_change_time && keyText(changedKey(bug.id, time)) === keyText(item);
  return kindOf(item['pk']) === 'CHANGED' && isEarlier;
}

/** What a bug blocks depends on it, and the other way round; bugs that do not exist here are let pass. */
async function otherEnds(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const ids = [...new Set(bugs.flatMap(({ blocks, depends_on }) => [...blocks, ...depends_on]))];
  const others = await readBy(table, ids.map(bugKey), bugItem);
  const at = (id: number) => others.get(keyText(bugKey(id)));
  const finding = (id: number, wrong: string): Finding => ({ item: keyText(bugKey(id)), wrong });
  return bugs.flatMap(({ id, blocks, depends_on }) => [
    ...blocks
      .filter((other) => at(other)?.depends_on.includes(id) === false)
      .map((other) => finding(id, `it blocks bug ${other}, which does not depend on it`)),
    ...depends_on
      .filter((other) => at(other)?.blocks.includes(id) === false)
      .map((other) => finding(id, `it depends on bug ${other}, which does not block it`)),
  ]);
}
