import { type BugItem, bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import { searchIndexKeys } from '../../../lib/bugs/search-index.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, changedKey, type Key, keyOf } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

const INDEX: ReadonlySet<string> = new Set(['PRODUCTBUGS', 'USERBUGS', 'CHANGED']);

/**
 * The search index has entries of every bug: for its product, its users and the time of its last change. Its entries
 * belong to existing bugs and agree with them; entries of earlier changes may remain. Dependencies are symmetric.
 */
export function searchIndexCheck(table: Table): Check {
  return {
    async scan(items) {
      const bugs = items.filter(({ sk }) => sk === 'BUG').map((item) => bugItem.parse(item));
      const entries = items.filter(({ pk }) => INDEX.has(kindOf(pk)));
      const all = await Promise.all([
        missingEntries(table, bugs),
        strayEntries(table, entries),
        asymmetricDependencies(table, bugs),
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
  const desired = bugs.flatMap((bug) => searchIndexKeys(bug).map((key) => ({ bug, key })));
  const entries = await readBy(
    table,
    desired.map(({ key }) => key),
    bugPointerItem,
  );
  return desired.flatMap(({ bug, key }): Finding[] => {
    const item = keyText(key);
    if (entries.get(item)?.bug_id === bug.id) return [];
    const repair: Action[] = [{ put: { ...key, bug_id: bug.id } }, unchanged(bug)];
    return [
      { item, violation: `is missing; it indexes bug ${bug.id}`, signature: signatureOf(key, bug), repair },
    ];
  });
}

/** Without the time of the last change, which may differ in each scan. */
const signatureOf = ({ pk }: Key, { id }: BugItem): string => `bug ${id} is missing under ${kindOf(pk)}`;

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
    const condition: Action = bug === undefined ? { check: bugKey(id), condition: ABSENT } : unchanged(bug);
    const remove: Action = { remove: keyOf(item) };
    const violation = `points to bug ${id}, which ${bug === undefined ? 'does not exist' : 'is indexed elsewhere'}`;
    return [{ item: keyText(item), violation, repair: [remove, condition] }];
  });
}

function isEntryOf(bug: BugItem, item: Item): boolean {
  if (searchIndexKeys(bug).some((key) => keyText(key) === keyText(item))) return true;
  const time = item.sk.split('#', 1)[0] ?? '';
  const isEarlier = time < bug.last_change_time && keyText(changedKey(bug.id, time)) === keyText(item);
  return kindOf(item.pk) === 'CHANGED' && isEarlier;
}

/** Every bug that a bug blocks depends on it, and vice versa; references to missing bugs are allowed. */
async function asymmetricDependencies(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const ids = [...new Set(bugs.flatMap(({ blocks, depends_on }) => [...blocks, ...depends_on]))];
  const others = await readBy(table, ids.map(bugKey), bugItem);
  const at = (id: number) => others.get(keyText(bugKey(id)));
  const finding = (id: number, violation: string): Finding => ({ item: keyText(bugKey(id)), violation });
  return bugs.flatMap(({ id, blocks, depends_on }) => [
    ...blocks
      .filter((other) => at(other)?.depends_on.includes(id) === false)
      .map((other) => finding(id, `blocks bug ${other}, which does not depend on it`)),
    ...depends_on
      .filter((other) => at(other)?.blocks.includes(id) === false)
      .map((other) => finding(id, `depends on bug ${other}, which does not block it`)),
  ]);
}
