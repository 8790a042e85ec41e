import type { Table } from '../../../lib/dynamodb/client.ts';
import { groupIdKey, groupKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { groupIdItem, groupItem } from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** The id of every group points to it, and every pointer to a group with that id. */
export function groupsCheck(table: Table): Check {
  return {
    async scan(items) {
      const findings = await Promise.all([missingPointers(table, items), strayPointers(table, items)]);
      return findings.flat();
    },
  };
}

async function missingPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const groups = items.filter(({ sk }) => sk === 'GROUP').map((item) => groupItem.parse(item));
  const pointers = await readBy(
    table,
    groups.map(({ id }) => groupIdKey(id)),
    groupIdItem,
  );
  return groups.flatMap(({ id, name }): Finding[] => {
    const key = groupIdKey(id);
    const item = keyText(key);
    const other = pointers.get(item)?.name;
    if (other === name) return [];
    if (other !== undefined) return [{ item, violation: `points to '${other}'; '${name}' has the same id` }];
    const unchanged: Action = { check: groupKey(name), condition: 'id = :id', values: { ':id': id } };
    const repair: Action[] = [{ put: { ...key, name }, condition: ABSENT }, unchanged];
    return [{ item, violation: `is missing; the group '${name}' has this id`, repair }];
  });
}

async function strayPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items
    .filter(({ sk }) => sk === 'GROUPID')
    .map((item) => ({ item, name: groupIdItem.parse(item).name }));
  const groups = await readBy(
    table,
    pointers.map(({ name }) => groupKey(name)),
    groupItem,
  );
  return pointers.flatMap(({ item, name }): Finding[] => {
    const group = groups.get(keyText(groupKey(name)));
    if (group?.name === name && groupIdKey(group.id).pk === item.pk) return [];
    return [{ item: keyText(item), violation: `points to the group '${name}', which does not have this id` }];
  });
}
