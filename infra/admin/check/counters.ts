import * as z from 'zod';
import { type Counted, counterKey } from '../../../lib/db/keys.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { counterItem } from './item-kinds.ts';

/** Which items have ids that are counted, by the kinds of their keys. */
const counted: ReadonlyMap<string, Counted> = new Map([
  ['PRODUCT PRODUCT', 'product'],
  ['PRODUCT COMPONENT', 'component'],
  ['PRODUCT VERSION', 'version'],
  ['PRODUCT MILESTONE', 'milestone'],
  ['PRODUCT FLAGTYPE', 'flagtype'],
  ['BUG BUG', 'bug'],
  ['BUG COMMENT', 'comment'],
  ['BUG WAITING', 'comment'],
  ['USER USER', 'user'],
  ['GROUP GROUP', 'group'],
]);

const identified = z.object({ id: z.int() });

/** Every counter is past each id that was given, so that none is given again. */
export function countersCheck(): Check {
  const highest = new Map<Counted, number>();
  const counters = new Map<string, number>();
  return {
    async next(items) {
      for (const item of items) {
        if (item['sk'] === 'COUNTER') counters.set(keyText(item), counterItem.parse(item).last);
        const what = counted.get(`${kindOf(item['pk'])} ${kindOf(item['sk'])}`);
        if (what === undefined) continue;
        highest.set(what, Math.max(highest.get(what) ?? 0, identified.parse(item).id));
      }
      return [];
    },
    async end() {
      return [...highest].flatMap(([what, id]): Finding[] => {
        const item = keyText(counterKey(what));
        const last = counters.get(item) ?? 0;
        if (last >= id) return [];
        const repair = {
          update: counterKey(what),
          set: 'SET #last = :id',
          condition: 'attribute_not_exists(#last) OR #last < :id',
          names: { '#last': 'last' },
          values: { ':id': id },
        };
        return [{ item, wrong: `it is at ${last}, and ${id} is given`, repair: [repair] }];
      });
    },
  };
}
