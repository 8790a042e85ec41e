import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../lib/dynamodb/read.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { sequence } from './arbitrary-requests.ts';
import { readFacts } from './learn-ids.ts';
import { foretell } from './linearize.ts';
import { dated, play } from './play.ts';
import { answersOf, foretold, hoursWorked, sweep } from './read-everything.ts';
import { holds, TIMEOUT } from './replay.ts';
import { restore } from './restore.ts';
import type { Request } from './send-request.ts';
import { EVERYBODY, start } from './start.ts';
import { type World, worldOf } from './world.ts';

let bugless: Bugless;
let before: Item[];
beforeAll(async () => {
  bugless = await startBugless(start);
  before = await allItems(bugless.table);
});

/** Makes a request and checks its answer; the world after it. */
async function step(world: World, request: Request): Promise<World> {
  const played = await play(bugless, dated(request, world));
  const facts = await readFacts(bugless, world, [played]);
  const { after, answer } = foretell(world, played, facts);
  expect({ request, answer: played.answer }).toEqual({ request, answer });
  return after;
}

/** A failure names the `SEED=…` and `COUNTEREXAMPLE=…` that repeat it; `RUNS=…` makes more runs. */
describe('one request after the other', () => {
  it(
    'is answered as by the model, and in the end everybody sees what the model shows them',
    () =>
      holds(sequence, async (requests) => {
        await restore(bugless.table, before);
        let world = worldOf(start);
        for (const request of requests) world = await step(world, request);
        const swept = await sweep(bugless, world, EVERYBODY);
        expect(answersOf(swept)).toEqual(foretold(world, swept));
        const hours = new Map(world.bugs.map(({ id, hours_worked }) => [id, hours_worked]));
        expect(await hoursWorked(bugless.table)).toEqual(hours);
        await expectNoViolations(bugless.table);
      }),
    TIMEOUT,
  );
});
