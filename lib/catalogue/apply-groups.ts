import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../dynamodb/client.ts';
import { bulkProductRepository } from '../products/bulk-repository.ts';
import { productRepository } from '../products/repository.ts';
import { classificationItem } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { accountRepository } from '../users/account-repository.ts';
import { type GroupItem, groupItem } from '../users/schema.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { CatalogueError } from './errors.ts';
import type { Catalogue } from './schema.ts';
import type { SummaryCounter } from './summary.ts';
import { groupReferences } from './verify.ts';

/** Groups by name, in any case. */
export class Groups {
  readonly #byName: ReadonlyMap<string, GroupItem>;

  constructor(groups: GroupItem[]) {
    this.#byName = new Map(groups.map((group) => [normalizeName(group.name), group]));
  }

  /**
   * The group with a name.
   *
   * @param path where the catalogue names it
   * @throws CatalogueError when there is none
   */
  named(name: string, path: string): GroupItem {
    const group = this.#byName.get(normalizeName(name));
    if (group === undefined) throw new CatalogueError(`${path}: there is no group '${name}'`);
    return group;
  }
}

/**
 * Adds groups, and changes the descriptions of existing ones, whose ids and spelling stay.
 *
 * @returns the groups that the catalogue names, existing ones included
 */
export async function applyGroups(
  table: Table,
  catalogue: Catalogue,
  counter: SummaryCounter,
): Promise<Groups> {
  const accounts = accountRepository(table);
  const names = new Set([
    ...catalogue.groups.map(({ name }) => name),
    ...groupReferences(catalogue).map(({ name }) => name),
  ]);
  const groups = new Map(
    (await accounts.groups([...names])).map((group) => [normalizeName(group.name), group]),
  );
  for (const given of catalogue.groups) {
    const existing = groups.get(normalizeName(given.name));
    const id = existing?.id ?? given.id ?? (await accounts.allocateGroupId());
    const { description } = given;
    const fields = mergeFields(DEFAULTS.group, existing, { description });
    const group = groupItem.parse({ name: given.name, ...fields, id });
    if (isDeepStrictEqual(existing, group)) {
      counter.count('groups', 'unchanged');
    } else {
      await accounts.putGroup(group);
      counter.count('groups', existing === undefined ? 'added' : 'changed');
    }
    groups.set(normalizeName(given.name), group);
  }
  return new Groups([...groups.values()]);
}

/** Adds and changes classifications. */
export async function applyClassifications(
  table: Table,
  catalogue: Catalogue,
  counter: SummaryCounter,
): Promise<void> {
  const products = productRepository(table);
  const { putClassification } = bulkProductRepository(table);
  for (const given of catalogue.classifications) {
    const existing = await products.classificationItem(given.name);
    const classification = classificationItem.parse(mergeFields(DEFAULTS.classification, existing, given));
    if (isDeepStrictEqual(existing, classification)) {
      counter.count('classifications', 'unchanged');
      continue;
    }
    await putClassification(classification);
    counter.count('classifications', existing === undefined ? 'added' : 'changed');
  }
}
