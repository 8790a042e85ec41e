import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../lib/db/reading.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';
import { expectWhole } from '../support/wholeness.ts';
import { anyRequest } from './arbitrary-requests.ts';
import { dated, foretell, play, readFacts } from './playing.ts';
import { budget } from './replaying.ts';
import { restore } from './restoring.ts';
import { start } from './start.ts';
import { foretold, sweep } from './sweeping.ts';
import { worldOf } from './world.ts';

let bugless: Bugless;
let before: Item[];
beforeAll(async () => {
  bugless = await startBugless(start);
  before = await allItems(bugless.table);
});

const { parameters, timeout } = budget<[unknown]>(40);

describe('one request after the other (`SEED=… COUNTEREXAMPLE=…` repeats a run, `RUNS=…` makes more)', () => {
  it(
    'is answered as the model answers, and afterwards everybody sees what the model shows them',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyRequest, { maxLength: 60, size: 'max' }), async (requests) => {
          await restore(bugless.table, before);
          let world = worldOf(start);
          for (const request of requests) {
            const played = await play(bugless, dated(request, world));
            const facts = await readFacts(bugless, world, [played]);
            const { after, answer } = foretell(world, played, facts);
            expect({ request: played.request, answer: played.answer }).toEqual({
              request: played.request,
              answer,
            });
            world = after;
          }
          const swept = await sweep(bugless, world);
          expect(swept.map(({ request, answer }) => ({ request, answer }))).toEqual(foretold(world, swept));
          await expectWhole(bugless.table);
        }),
        parameters,
      );
    },
    timeout,
  );
});
