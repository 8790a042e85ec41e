import { expect, it } from 'vitest';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { isLong } from '../support/sample.ts';
import { sequence } from './arbitrary-requests.ts';
import { checkProperty, TIMEOUT } from './check-property.ts';
import { resolveTimes, send } from './exchange.ts';
import { freshInstances } from './fresh-instances.ts';
import { readStoredValues } from './generated-values.ts';
import { ALL_CALLERS, type CallerName, start } from './initial-catalogue.ts';
import { predict } from './linearize.ts';
import { hoursWorked, predicted, readState, responsesOf } from './read-state.ts';
import type { Request } from './send-request.ts';
import { type World, worldOf } from './world.ts';

const freshInstance = freshInstances(() => startBugless(start));
let bugless: Bugless;

/** Sends a request and compares the response with the model. @returns the world after it */
async function step(world: World, request: Request): Promise<World> {
  const exchange = await send(bugless, resolveTimes(request, world));
  const stored = await readStoredValues(bugless, world, [exchange]);
  const { after, response } = predict(world, exchange, stored);
  expect({ request, response: exchange.response }).toEqual({ request, response });
  return after;
}

/** Who reads the state after so many requests: everybody in a run with `RUNS`, in `npm test` every third caller. */
const readersAfter = (requests: number): CallerName[] =>
  ALL_CALLERS.filter((_, index) => isLong || index % 3 === requests % 3);

/** A failure prints `SEED=…` and `COUNTEREXAMPLE=…` to repeat it; `RUNS=…` sets the number of runs. */
it(
  'model-based test: requests get the responses of the model, and leave its state for everybody',
  () =>
    checkProperty(sequence, async (requests) => {
      bugless = await freshInstance();
      let world = worldOf(start);
      for (const request of requests) world = await step(world, request);
      const state = await readState(bugless, world, readersAfter(requests.length));
      expect(responsesOf(state)).toEqual(predicted(world, state));
      const hours = new Map(world.bugs.map(({ id, hours_worked }) => [id, hours_worked]));
      expect(await hoursWorked(bugless.table)).toEqual(hours);
      await expectNoViolations(bugless.table);
    }),
  TIMEOUT,
);
