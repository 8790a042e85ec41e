import { bugItem } from '../../../lib/bugs/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { classificationKey, groupKey, type Key, keywordKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { productItem } from '../../../lib/products/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import { userItem } from '../../../lib/users/schema.ts';
import { type Check, keyText } from './finding.ts';
import { readSound } from './item-kinds.ts';

/** Groups, classifications and keywords that products, bugs and users name are there. */
export function referencesCheck(table: Table): Check {
  return {
    async next(items) {
      const references = items.flatMap((item) => namedBy(item).map((key) => ({ item, key })));
      const keys = references.map(({ key }) => key);
      const there = new Set((await readSound(table, keys)).map(keyText));
      return references
        .filter(({ key }) => !there.has(keyText(key)))
        .map(({ item, key }) => ({
          item: keyText(item),
          wrong: `it names ${keyText(key)}, which is not there`,
        }));
    },
  };
}

function namedBy(item: Item): Key[] {
  switch (item['sk']) {
    case 'PRODUCT': {
      const { classification, group_controls } = productItem.parse(item);
      const groups = group_controls.map(({ group }) => groupKey(group));
      return classification === UNCLASSIFIED ? groups : [classificationKey(classification), ...groups];
    }
    case 'BUG': {
      const { groups, keywords } = bugItem.parse(item);
      return [...groups.map(groupKey), ...keywords.map(keywordKey)];
    }
    case 'USER':
      return userItem.parse(item).groups.map(groupKey);
    default:
      return [];
  }
}
