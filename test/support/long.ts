/** Whether `npm run test:long` runs, which takes all of what `npm test` takes a sample of. */
export const isLong = process.env['RUNS'] !== undefined;

/** All cases in `test:long`; in `npm test` the first one of each `step`. */
export const sample = <T>(cases: readonly T[], step: number): T[] =>
  cases.filter((_, index) => isLong || index % step === 0);
