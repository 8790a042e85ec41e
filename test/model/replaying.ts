import fc, { type Parameters, type RunDetails } from 'fast-check';

const { SEED, COUNTEREXAMPLE, RUNS } = process.env;

/** How long a test runs at most before it ends as it stands; one run may still be under way then. */
const TIME = 10_000;

/** For a test with `runs` runs, unless `RUNS=…` says how many: then it takes as long as they take. */
export function budget<T>(runs: number): { parameters: Parameters<T>; timeout: number } {
  const time = RUNS === undefined ? TIME : 60 * 60 * 1_000;
  return {
    parameters: {
      numRuns: Number(RUNS ?? runs),
      interruptAfterTimeLimit: time,
      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      ...(COUNTEREXAMPLE === undefined ? {} : { path: COUNTEREXAMPLE }),
      asyncReporter: report,
    },
    timeout: 3 * time,
  };
}

/** Says how to repeat what failed, from where fast-check could make it no smaller. */
async function report<T>(details: RunDetails<T>): Promise<void> {
  if (!details.failed) return;
  const again = `SEED=${details.seed} COUNTEREXAMPLE=${details.counterexamplePath}`;
  throw new Error(`Repeat it with ${again}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}
