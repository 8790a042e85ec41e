import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { counterAdvance } from '../../../lib/dynamodb/counters.ts';
import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { parseParts } from '../../../lib/products/document.ts';
import { productPartsItem } from '../../../lib/products/schema.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { kinds, readKind } from './item-kinds.ts';

/** The counters of items, by the kinds of their keys. */
const counterOfKind: ReadonlyMap<string, CounterName> = new Map([
  ['PRODUCT PRODUCT', 'product'],
  ['BUG BUG', 'bug'],
  ['BUG COMMENT', 'comment'],
  ['BUG QUEUED', 'comment'],
  ['BUG ATTACHMENT', 'attachment'],
  ['USER USER', 'user'],
  ['GROUP GROUP', 'group'],
  ['CLASSIFICATION CLASSIFICATION', 'classification'],
]);

/** Ids that are not unique by being part of a key; a flag type may belong to several products. */
const UNIQUE: ReadonlySet<CounterName> = new Set(['component', 'version', 'milestone', 'group']);

const itemWithId = z.object({ id: z.int() });

/**
 * Ids are unique, and every counter is at or past the highest id. Memory holds the ids of parts of products, and of
 * groups.
 */
export function idsCheck(table: Table): Check {
  const highest = new Map<CounterName, number>();
  const holders = new Map<string, string>();

  function addId(counter: CounterName, id: number, item: Item): Finding[] {
    highest.set(counter, Math.max(highest.get(counter) ?? 0, id));
    if (!UNIQUE.has(counter)) return [];
    const holder = holders.get(`${counter} ${id}`);
    holders.set(`${counter} ${id}`, holder ?? item.pk);
    // While a product is written, two of its revisions have the same parts.
    if (holder === undefined || holder === item.pk) return [];
    return [{ item: keyText(item), violation: `${counter} ${id} is also in ${holder}` }];
  }

  function scanItem(item: Item): Finding[] {
    const counter = counterOfKind.get(`${kindOf(item.pk)} ${kindOf(item.sk)}`);
    const own = counter === undefined ? [] : addId(counter, itemWithId.parse(item).id, item);
    if (kindOf(item.pk) !== 'PRODUCT') return own;
    const { components, flagTypes, milestones, versions } = parseParts([productPartsItem.parse(item).parts]);
    const addIds = (name: CounterName, parts: { id: number }[]) =>
      parts.flatMap(({ id }) => addId(name, id, item));
    return [
      ...own,
      ...addIds('component', components),
      ...addIds('flagtype', flagTypes),
      ...addIds('milestone', milestones),
      ...addIds('version', versions),
    ];
  }

  return {
    scan: async (items) => items.flatMap(scanItem),
    // The counters are read last, because an id is allocated before an item has it.
    async finish() {
      const keys = [...highest.keys()].map(counterKey);
      const counterAt = await readKind(table, keys, kinds.counter);
      return [...highest].flatMap(([name, id]) =>
        counterFindings(name, id, counterAt(counterKey(name))?.last),
      );
    },
  };
}

function counterFindings(name: CounterName, id: number, last = 0): Finding[] {
  if (last >= id) return [];
  const violation = `is at ${last}, behind the id ${id}`;
  const repair = [counterAdvance(name, id)];
  return [{ item: keyText(counterKey(name)), violation, signature: 'is behind', repair }];
}
