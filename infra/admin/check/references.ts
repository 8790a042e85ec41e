import { bugItem } from '../../../lib/bugs/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { classificationKey, groupKey, type Key, keywordKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { productItem } from '../../../lib/products/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import { userItem } from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { readSound } from './item-kinds.ts';

/** A group, classification or keyword that an item names. */
interface Reference {
  item: Item;
  key: Key;
  name: string;
}

/** Groups, classifications and keywords that items name exist; groups in the same spelling, because rights follow. */
export function referencesCheck(table: Table): Check {
  return {
    async next(items) {
      const references = items.flatMap(referencesOf);
      const keys = references.map(({ key }) => key);
      const found = new Map(
        (await readSound(table, keys)).map((item) => [keyText(item), String(item['name'])]),
      );
      return references.flatMap(({ item, key, name }): Finding[] => {
        const stored = found.get(keyText(key));
        if (stored === undefined) {
          return [{ item: keyText(item), wrong: `it names ${keyText(key)}, which is not there` }];
        }
        if (key.sk !== 'GROUP' || stored === name) return [];
        return [{ item: keyText(item), wrong: `it names the group '${name}', which is spelled '${stored}'` }];
      });
    },
  };
}

function referencesOf(item: Item): Reference[] {
  const to = (names: string[], keyOf: (name: string) => Key) =>
    names.map((name): Reference => ({ item, key: keyOf(name), name }));
  switch (item['sk']) {
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
