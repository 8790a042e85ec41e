import { bugItem } from '../../../lib/bugs/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { classificationKey, groupKey, type Key, keywordKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { productItem } from '../../../lib/products/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import { userItem } from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { readValid } from './item-kinds.ts';

/** A reference of an item to a group, classification or keyword by its name. */
interface Reference {
  item: Item;
  key: Key;
  name: string;
}

/** Referenced groups, classifications and keywords exist; groups in the same spelling, because rights depend on it. */
export function referencesCheck(table: Table): Check {
  return {
    async scan(items) {
      const references = items.flatMap(referencesOf);
      const keys = references.map(({ key }) => key);
      const found = new Map(
        (await readValid(table, keys)).map((item) => [keyText(item), String(item['name'])]),
      );
      return references.flatMap(({ item, key, name }): Finding[] => {
        const stored = found.get(keyText(key));
        if (stored === undefined) {
          return [{ item: keyText(item), violation: `refers to ${keyText(key)}, which does not exist` }];
        }
        if (key.sk !== 'GROUP' || stored === name) return [];
        return [
          { item: keyText(item), violation: `refers to the group '${name}', which is spelled '${stored}'` },
        ];
      });
    },
  };
}

function referencesOf(item: Item): Reference[] {
  const to = (names: string[], keyOf: (name: string) => Key) =>
    names.map((name): Reference => ({ item, key: keyOf(name), name }));
  switch (item.sk) {
    case 'PRODUCT': {
      const { classification, group_controls } = productItem.parse(item);
      const groups = group_controls.map(({ group }) => group);
      const classifications = classification === UNCLASSIFIED ? [] : [classification];
      return [...to(classifications, classificationKey), ...to(groups, groupKey)];
    }
    case 'BUG': {
      const { groups, keywords } = bugItem.parse(item);
      return [...to(groups, groupKey), ...to(keywords, keywordKey)];
    }
    case 'USER':
      return to(userItem.parse(item).groups, groupKey);
    default:
      return [];
  }
}
