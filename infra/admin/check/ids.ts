import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { counterAdvance, counterItem } from '../../../lib/dynamodb/counters.ts';
import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** Which items have ids that are counted, by the kinds of their keys. */
const counted: ReadonlyMap<string, CounterName> = new Map([
  ['PRODUCT PRODUCT', 'product'],
  ['PRODUCT COMPONENT', 'component'],
  ['PRODUCT VERSION', 'version'],
  ['PRODUCT MILESTONE', 'milestone'],
  ['PRODUCT FLAGTYPE', 'flagtype'],
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

  function held(what: CounterName, id: number, item: Item): Finding[] {
    if (!TO_BE_UNIQUE.has(what)) return [];
    const holder = holders.get(`${what} ${id}`);
    holders.set(`${what} ${id}`, holder ?? keyText(item));
    return holder === undefined ? [] : [{ item: keyText(item), wrong: `its id is that of ${holder} too` }];
  }

  function look(item: Item): Finding[] {
    const what = counted.get(`${kindOf(item['pk'])} ${kindOf(item['sk'])}`);
    if (what === undefined) return [];
    const { id } = identified.parse(item);
    highest.set(what, Math.max(highest.get(what) ?? 0, id));
    return held(what, id, item);
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
