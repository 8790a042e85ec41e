import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { mapConcurrent } from '../../lib/base/collections.ts';
import { type Bugless, startBuglessWithConflicts } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { rounds } from './arbitrary-requests.ts';
import { checkProperty, TIMEOUT } from './check-property.ts';
import { type Exchange, resolveTimes, send } from './exchange.ts';
import { freshInstances } from './fresh-instances.ts';
import { readStoredValues } from './generated-values.ts';
import { start } from './initial-catalogue.ts';
import { outcomes } from './linearize.ts';
import { predicted, readState, responsesOf } from './read-state.ts';
import type { Request } from './send-request.ts';
import { type World, worldOf } from './world.ts';

const freshInstance = freshInstances(() => startBuglessWithConflicts(start));
let bugless: Bugless;

/** Sends the requests of one client sequentially. */
async function sendSequentially(world: World, requests: Request[]): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const request of requests) exchanges.push(await send(bugless, resolveTimes(request, world)));
  return exchanges;
}

/** The possible states of the model: each explains all responses. */
type Worlds = [World, ...World[]];

/** Sends the requests of several clients concurrently. */
async function sendConcurrently(worlds: Worlds, clients: Request[][]): Promise<Worlds> {
  const [world] = worlds;
  const exchanges = (await mapConcurrent(clients, (requests) => sendSequentially(world, requests))).flat();
  const stored = await readStoredValues(bugless, world, exchanges);
  const [first, ...others] = outcomes(worlds, exchanges, stored);
  if (first === undefined)
    throw new Error(`No order of these requests explains their responses:\n${formatHistory(exchanges)}`);
  return [first, ...others];
}

/** Asserts that the state of the service is one of these worlds. */
async function expectState(worlds: Worlds): Promise<void> {
  const [world] = worlds;
  const state = await readState(bugless, world, ['admin']);
  const isPossible = worlds.some((one) => isDeepStrictEqual(predicted(one, state), responsesOf(state)));
  if (!isPossible) expect(responsesOf(state)).toEqual(predicted(world, state));
}

/** One line per request. */
function formatHistory(exchanges: Exchange[]): string {
  const zero = Math.min(...exchanges.map(({ startedAt }) => startedAt));
  const lines = exchanges
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ request, response, startedAt, endedAt }) => {
      const { by, route, ...more } = request;
      return `${startedAt - zero} to ${endedAt - zero} ms: ${by}: ${route} ${JSON.stringify(more)}\n  ${JSON.stringify(response)}`;
    });
  return lines.join('\n');
}

/**
 * Linearizability of requests about one product, bug, comment or list of ids, and of updates of several products: there
 * is a sequential order, consistent with the real-time order of requests that do not overlap, in which the model gives the
 * responses and the final state of the service. The clients run concurrently over HTTP, so a seed repeats the requests,
 * but not always their interleaving.
 *
 * Requests about several bugs or comments, and searches, read items one after the other and are not linearizable:
 * sequential.test.ts has them.
 */
it(
  'model-based test: concurrent clients get linearizable responses',
  () =>
    checkProperty(rounds, async (given) => {
      bugless = await freshInstance();
      let worlds: Worlds = [worldOf(start)];
      for (const clients of given) worlds = await sendConcurrently(worlds, clients);
      await expectState(worlds);
      await expectNoViolations(bugless.table);
    }),
  TIMEOUT,
);
