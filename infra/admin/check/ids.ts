import { parseParts } from '../../../lib/products/document.ts';
import type { Table } from '../../../lib/table/client.ts';
import { counterAdvance } from '../../../lib/table/counters.ts';
import { type CounterName, counterKey, type Key } from '../../../lib/table/keys.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';
import { type ItemKind, kinds, ofKind, readKind } from './item-kinds.ts';

/** The items with ids, and their counters. */
const COUNTED: readonly [ItemKind<{ id: number }>, CounterName][] = [
  [kinds.product, 'product'],
  [kinds.bug, 'bug'],
  [kinds.comment, 'comment'],
  [kinds.queuedComment, 'comment'],
  [kinds.attachment, 'attachment'],
  [kinds.user, 'user'],
  [kinds.group, 'group'],
  [kinds.classification, 'classification'],
];

/** Ids that are not unique by being part of a key; a flag type may belong to several products. */
const UNIQUE: ReadonlySet<CounterName> = new Set(['component', 'version', 'milestone', 'group']);

/**
 * Ids are unique, and every counter is at or past the highest id. Memory holds the ids of parts of products, and of
 * groups.
 */
export function idsCheck(table: Table): Check {
  const highest = new Map<CounterName, number>();
  const holders = new Map<string, string>();

  const addIds = (counter: CounterName, key: Key, ids: { id: number }[]): Finding[] =>
    ids.flatMap(({ id }) => {
      highest.set(counter, Math.max(highest.get(counter) ?? 0, id));
      if (!UNIQUE.has(counter)) return [];
      const holder = holders.get(`${counter} ${id}`);
      holders.set(`${counter} ${id}`, holder ?? key.pk);
      // While a product is written, two of its revisions have the same parts.
      if (holder === undefined || holder === key.pk) return [];
      return findingsOf(key, [`${counter} ${id} is also in ${holder}`]);
    });

  return {
    async scan(items) {
      const own = COUNTED.flatMap(([kind, counter]) =>
        ofKind(items, kind).flatMap(({ key, content }) => addIds(counter, key, [content])),
      );
      const ofParts = [...ofKind(items, kinds.product), ...ofKind(items, kinds.productParts)].flatMap(
        ({ key, content }) => {
          const { components, flagTypes, milestones, versions } = parseParts([content.parts]);
          return [
            ...addIds('component', key, components),
            ...addIds('flagtype', key, flagTypes),
            ...addIds('milestone', key, milestones),
            ...addIds('version', key, versions),
          ];
        },
      );
      const ofFlags = [...ofKind(items, kinds.bug), ...ofKind(items, kinds.attachment)].flatMap(
        ({ key, content }) => addIds('flag', key, content.flags),
      );
      return [...own, ...ofParts, ...ofFlags];
    },
    // The counters are read last, because an id is allocated before an item has it.
    async finish() {
      const keys = [...highest.keys()].map(counterKey);
      const counterAt = await readKind(table, keys, kinds.counter);
      return [...highest].flatMap(([name, id]) => {
        const last = counterAt(counterKey(name))?.last ?? 0;
        const violation = `is at ${last}, behind the id ${id}`;
        const repair = [counterAdvance(name, id)];
        return findingsOf(counterKey(name), [last < id && { violation, signature: 'is behind', repair }]);
      });
    },
  };
}
