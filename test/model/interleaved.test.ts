import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../lib/dynamodb/read.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { rounds } from './arbitrary-requests.ts';
import { readFacts } from './learn-ids.ts';
import { outcomes } from './linearize.ts';
import { dated, type Played, play } from './play.ts';
import { answersOf, foretold, sweep } from './read-everything.ts';
import { holds, TIMEOUT } from './replay.ts';
import { restore } from './restore.ts';
import type { Request } from './send-request.ts';
import { start } from './start.ts';
import { type World, worldOf } from './world.ts';

let bugless: Bugless;
let before: Item[];
beforeAll(async () => {
  bugless = await startBugless(start);
  before = await allItems(bugless.table);
});

/** The requests of one client, each after the answer to the one before. */
async function playInTurn(world: World, requests: Request[]): Promise<Played[]> {
  const played: Played[] = [];
  for (const request of requests) played.push(await play(bugless, dated(request, world)));
  return played;
}

/** What the model may be like by all that was answered; each explains it. */
type Worlds = [World, ...World[]];

/** Lets clients make their requests at the same time. */
async function playTogether(worlds: Worlds, clients: Request[][]): Promise<Worlds> {
  const [world] = worlds;
  const played = (await mapConcurrent(clients, (requests) => playInTurn(world, requests))).flat();
  const facts = await readFacts(bugless, world, played);
  const [first, ...others] = outcomes(worlds, played, facts);
  if (first === undefined)
    throw new Error(`No order of these explains their answers:\n${formatHistory(played)}`);
  return [first, ...others];
}

/** Reads all that there is, and checks that it is one of these worlds. */
async function expectOneOf(worlds: Worlds): Promise<void> {
  const [world] = worlds;
  const swept = await sweep(bugless, world, ['admin']);
  const isSeen = worlds.some((one) => isDeepStrictEqual(foretold(one, swept), answersOf(swept)));
  if (!isSeen) expect(answersOf(swept)).toEqual(foretold(world, swept));
}

/** What was played, a line each. */
function formatHistory(played: Played[]): string {
  const zero = Math.min(...played.map(({ began }) => began));
  const lines = played
    .toSorted((a, b) => a.began - b.began)
    .map(({ request, answer, began, ended }) => {
      const { by, route, ...more } = request;
      return `${began - zero} to ${ended - zero} ms: ${by}: ${route} ${JSON.stringify(more)}\n  ${JSON.stringify(answer)}`;
    });
  return lines.join('\n');
}

/**
 * What is guaranteed: requests about one product, bug, comment or list of ids, and updates of several products,
 * are linearizable. That is, each seems to happen at one moment between its beginning and its end: there is an
 * order of all, in which none stands before one that had ended when it began, whose answers by the model are
 * those of the service, and after which the model is in the state that is read then. The clients' requests
 * really run at the same time, over HTTP, so a seed repeats what was asked, not always what came of it.
 *
 * Requests about several bugs or comments, and searches, read one thing after the other and promise no such
 * moment: sequential.test.ts has them.
 */
describe('clients at the same time', () => {
  it(
    'are answered as if their requests had come in some order',
    () =>
      holds(rounds, async (given) => {
        await restore(bugless.table, before);
        let worlds: Worlds = [worldOf(start)];
        for (const clients of given) worlds = await playTogether(worlds, clients);
        await expectOneOf(worlds);
        await expectNoViolations(bugless.table);
      }),
    TIMEOUT,
  );
});
