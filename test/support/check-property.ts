import { basename } from 'node:path';
import fc, { type Arbitrary, type RunDetails } from 'fast-check';
import { expect } from 'vitest';

const { SEED, COUNTEREXAMPLE, RUNS } = process.env;

/** The time limit of a test; with `RUNS` or `COUNTEREXAMPLE` there is none. */
const TIME_LIMIT_MS = 4_000;
const isLong = RUNS !== undefined || COUNTEREXAMPLE !== undefined;

/** The timeout of vitest. */
export const TIMEOUT = isLong ? 6 * 60 * 60 * 1_000 : 300_000;

/**
 * Runs a property with random values until one fails, which is shrunk and reported with the variables that repeat it.
 */
export async function checkProperty<T>(
  arbitrary: Arbitrary<T>,
  run: (given: T) => Promise<void>,
): Promise<void> {
  const end = Date.now() + (isLong ? TIMEOUT : TIME_LIMIT_MS);
  const property = fc.asyncProperty(arbitrary, async (given) => {
    if (Date.now() < end) await run(given);
  });
  await fc.assert(property, {
    numRuns: Number(RUNS ?? 4),
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(COUNTEREXAMPLE === undefined ? {} : { path: COUNTEREXAMPLE }),
    asyncReporter: report,
  });
}

/** Repeated runs have no time limit, so that they shrink completely. */
async function report<T>(details: RunDetails<T>): Promise<void> {
  if (!details.failed) return;
  const run = `SEED=${details.seed} COUNTEREXAMPLE=${details.counterexamplePath}`;
  const file = basename(expect.getState().testPath ?? '');
  throw new Error(`To repeat: ${run} npm test -- ${file}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}
