import { isDeepStrictEqual } from 'node:util';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { classificationKey, groupKey } from '../dynamodb/keys.ts';
import { readItem, readItems } from '../dynamodb/read.ts';
import { classificationItem } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { type GroupItem, groupItem } from '../users/schema.ts';
import { type Catalogue, CatalogueError } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** The groups that there are, by name. */
export class Groups {
  readonly #byName: ReadonlyMap<string, GroupItem>;

  constructor(groups: GroupItem[]) {
    this.#byName = new Map(groups.map((group) => [normalizeName(group.name), group]));
  }

  /**
   * The group with a name.
   *
   * @param place where the catalogue names it
   * @throws CatalogueError when there is none
   */
  named(name: string, place: string): GroupItem {
    const group = this.#byName.get(normalizeName(name));
    if (group === undefined) throw new CatalogueError(`${place}: there is no group '${name}'`);
    return group;
  }
}

/** Adds and changes groups; gives all that the catalogue names, those of the table among them. */
export async function applyGroups(
  table: Table,
  catalogue: Catalogue,
  counter: SummaryCounter,
): Promise<Groups> {
  const names = new Set([...catalogue.groups.map(({ name }) => name), ...namesIn(catalogue)]);
  const items = await readItems(table, [...names].map(groupKey));
  const groups = new Map(
    items.map((item) => groupItem.parse(item)).map((group) => [normalizeName(group.name), group]),
  );
  for (const { id, name, description } of catalogue.groups) {
    const existing = groups.get(normalizeName(name));
    const group: GroupItem = {
      id: id ?? existing?.id ?? (await allocateIds(table, 'group')),
      name,
      description,
    };
    if (isDeepStrictEqual(existing, group)) {
      counter.count('groups', 'unchanged');
    } else {
      await table.client.send(
        new PutCommand({ TableName: table.name, Item: { ...groupKey(name), ...group } }),
      );
      counter.count('groups', existing === undefined ? 'added' : 'changed');
    }
    groups.set(normalizeName(name), group);
  }
  return new Groups([...groups.values()]);
}

/** The groups that users, products and bugs of a catalogue name. */
function namesIn({ users, products, bugs }: Catalogue): string[] {
  const flagTypes = products.flatMap((product) => product.flag_types);
  return [
    ...users.flatMap((user) => user.groups),
    ...products.flatMap((product) => product.group_controls.map(({ group }) => group)),
    ...flagTypes.flatMap((type) => [type.grant_group, type.request_group].filter((name) => name !== null)),
    ...bugs.flatMap((bug) => bug.groups),
  ];
}

/** Adds and changes classifications. */
export async function applyClassifications(
  table: Table,
  catalogue: Catalogue,
  counter: SummaryCounter,
): Promise<void> {
  for (const classification of catalogue.classifications) {
    const key = classificationKey(classification.name);
    const item = await readItem(table, key);
    const existing = item === undefined ? undefined : classificationItem.parse(item);
    if (isDeepStrictEqual(existing, classification)) {
      counter.count('classifications', 'unchanged');
      continue;
    }
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...classification } }));
    counter.count('classifications', existing === undefined ? 'added' : 'changed');
  }
}
