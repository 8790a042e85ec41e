import { type BugItem, bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { aliasKey, bugKey, keyOf } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { readBy } from './item-kinds.ts';

/**
 * Every alias of a bug points to it. Pointers to a bug (aliases, catalogue sources, import checkpoints) point to an
 * existing one, which has the alias.
 */
export function bugPointersCheck(table: Table): Check {
  return {
    async scan(items) {
      const bugs = items.filter(({ sk }) => sk === 'BUG').map((item) => bugItem.parse(item));
      const pointers = items.filter(({ sk }) => POINTERS.has(sk));
      const all = await Promise.all([missingAliases(table, bugs), strayPointers(table, pointers)]);
      return all.flat();
    },
  };
}

const POINTERS: ReadonlySet<unknown> = new Set(['ALIAS', 'BUGSOURCE', 'IMPORTED']);

async function missingAliases(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const keys = bugs.flatMap(({ aliases }) => aliases.map(aliasKey));
  const pointers = await readBy(table, keys, bugPointerItem);
  return bugs.flatMap(({ id, aliases }) =>
    aliases.flatMap((alias): Finding[] => {
      const key = aliasKey(alias);
      const item = keyText(key);
      const other = pointers.get(item)?.bug_id;
      if (other === id) return [];
      if (other !== undefined)
        return [{ item, violation: `points to bug ${other}; bug ${id} has the same alias` }];
      const values = { ':alias': alias };
      const unchanged: Action = { check: bugKey(id), condition: 'contains(aliases, :alias)', values };
      const repair: Action[] = [{ put: { ...key, bug_id: id }, condition: ABSENT }, unchanged];
      return [{ item, violation: `is missing; bug ${id} has this alias`, repair }];
    }),
  );
}

async function strayPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.map((item) => ({ item, id: bugPointerItem.parse(item).bug_id }));
  const keys = pointers.map(({ id }) => bugKey(id));
  const bugs = await readBy(table, keys, bugItem);
  return pointers.flatMap(({ item, id }): Finding[] => {
    const bug = bugs.get(keyText(bugKey(id)));
    const hasAlias = bug?.aliases.some((alias) => `ALIAS#${normalizeName(alias)}` === item.pk);
    const isValid = item.sk === 'ALIAS' ? hasAlias : bug !== undefined;
    return isValid ? [] : [strayPointer(item, id, bug)];
  });
}

function strayPointer(item: Item, id: number, bug: BugItem | undefined): Finding {
  const key = keyOf(item);
  const violation = `points to bug ${id}, which ${bug === undefined ? 'does not exist' : 'does not have this alias'}`;
  const unchanged: Action =
    bug === undefined
      ? { check: bugKey(id), condition: ABSENT }
      : { check: bugKey(id), condition: 'aliases = :aliases', values: { ':aliases': bug.aliases } };
  const remove: Action = { remove: key, condition: 'bug_id = :id', values: { ':id': id } };
  return { item: keyText(item), violation, repair: [remove, unchanged] };
}
