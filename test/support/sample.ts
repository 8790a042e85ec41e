/** Whether the run takes all of what others take a sample of: `RUNS=…` is set. */
export const isLong = process.env['RUNS'] !== undefined;

/** All cases in a run with `RUNS`, else the first one of each `step`. */
export const sample = <T>(cases: readonly T[], step: number): T[] =>
  cases.filter((_, index) => isLong || index % step === 0);
