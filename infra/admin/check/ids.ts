import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { counterAdvance, counterItem } from '../../../lib/dynamodb/counters.ts';
import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { parseParts } from '../../../lib/products/document.ts';
import { productPartsItem } from '../../../lib/products/schema.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** Which items have ids that are counted, by the kinds of their keys. */
const counted: ReadonlyMap<string, CounterName> = new Map([
  ['PRODUCT PRODUCT', 'product'],
  ['BUG BUG', 'bug'],
  ['BUG COMMENT', 'comment'],
  ['BUG QUEUED', 'comment'],
  ['USER USER', 'user'],
  ['GROUP GROUP', 'group'],
]);

/** Whose ids nothing else makes unique: others are in keys; a flag type may stand under several products. */
const TO_BE_UNIQUE: ReadonlySet<CounterName> = new Set(['component', 'version', 'milestone', 'group']);

const identified = z.object({ id: z.int() });

/**
 * No id is given twice: every counter is past each id that was given, and no two things of a kind have one. Memory
 * holds the ids of parts of products, and of groups.
 */
export function idsCheck(table: Table): Check {
  const highest = new Map<CounterName, number>();
  const holders = new Map<string, string>();

  function take(counter: CounterName, id: number, item: Item): Finding[] {
    highest.set(counter, Math.max(highest.get(counter) ?? 0, id));
    if (!TO_BE_UNIQUE.has(counter)) return [];
    const holder = holders.get(`${counter} ${id}`);
    holders.set(`${counter} ${id}`, holder ?? String(item['pk']));
    // Two revisions of a product may have the same parts for a moment.
    if (holder === undefined || holder === item['pk']) return [];
    return [{ item: keyText(item), wrong: `the ${counter} ${id} is in ${holder} too` }];
  }

  function look(item: Item): Finding[] {
    const counter = counted.get(`${kindOf(item['pk'])} ${kindOf(item['sk'])}`);
    const own = counter === undefined ? [] : take(counter, identified.parse(item).id, item);
    if (kindOf(item['pk']) !== 'PRODUCT') return own;
    const { components, flagTypes, milestones, versions } = parseParts([productPartsItem.parse(item).parts]);
    const of = (name: CounterName, parts: { id: number }[]) =>
      parts.flatMap(({ id }) => take(name, id, item));
    return [
      ...own,
      ...of('component', components),
      ...of('flagtype', flagTypes),
      ...of('milestone', milestones),
      ...of('version', versions),
    ];
  }

  return {
    next: async (items) => items.flatMap(look),
    // Read last: an id is taken from its counter before anything has it.
    async end() {
      const keys = [...highest.keys()].map(counterKey);
      const counters = await readBy(table, keys, counterItem);
      return [...highest].flatMap(([what, id]) => behind(what, id, counters));
    },
  };
}

function behind(what: CounterName, id: number, counters: ReadonlyMap<string, { last: number }>): Finding[] {
  const item = keyText(counterKey(what));
  const last = counters.get(item)?.last ?? 0;
  if (last >= id) return [];
  return [
    {
      item,
      wrong: `it is at ${last}, and ${id} is given`,
      lasting: 'it is behind',
      repair: [counterAdvance(what, id)],
    },
  ];
}
