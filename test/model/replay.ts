import { basename } from 'node:path';
import fc, { type Arbitrary, type RunDetails } from 'fast-check';
import { expect } from 'vitest';

const { SEED, COUNTEREXAMPLE, RUNS } = process.env;

/** With `RUNS` runs, or when one is repeated, a test takes as long as it takes; otherwise about so long. */
const TIME = 4_000;
const isLong = RUNS !== undefined || COUNTEREXAMPLE !== undefined;

/** For vitest: after that a run hangs. */
export const TIMEOUT = isLong ? 6 * 60 * 60 * 1_000 : 10 * TIME;

/**
 * Makes runs with what chance gives them, until one fails. What fails is made smaller, and told with the way to
 * repeat it.
 */
export async function holds<T>(arbitrary: Arbitrary<T>, run: (given: T) => Promise<void>): Promise<void> {
  const end = Date.now() + (isLong ? TIMEOUT : TIME);
  const property = fc.asyncProperty(arbitrary, async (given) => {
    if (Date.now() < end) await run(given);
  });
  await fc.assert(property, {
    numRuns: Number(RUNS ?? 40),
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(COUNTEREXAMPLE === undefined ? {} : { path: COUNTEREXAMPLE }),
    asyncReporter: report,
  });
}

/** A repeated run has no limit of time: what fails becomes as small as it can. */
async function report<T>(details: RunDetails<T>): Promise<void> {
  if (!details.failed) return;
  const run = `SEED=${details.seed} COUNTEREXAMPLE=${details.counterexamplePath}`;
  const file = basename(expect.getState().testPath ?? '');
  throw new Error(`To repeat it: ${run} npm test -- ${file}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}
