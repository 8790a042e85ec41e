/** What takes less is not said. */
const MIN_SECONDS = 60;

/** Measured by `npm run bench -- import --to 5000`. Requests of 100 bugs: the comments of each, and their part of a page, of histories and of lists of attachments. */
const REQUESTS_PER_100_BUGS = 111;
/** At the default write limit, with ten comments each. */
const APPLIED_PER_SECOND = 20;
const MEGABYTES = { least: 400, ofThousandBugs: 5 };

/**
 * What an import will take, as a line, for the bugs that are not in its file. How many attachments there are is not known before their bugs are read.
 *
 * @param bugs that have to be read
 * @param perSecond requests
 * @returns undefined where it takes less than a minute
 */
export function expectedWork(bugs: number, perSecond: number): string | undefined {
  const requests = Math.ceil((bugs * REQUESTS_PER_100_BUGS) / 100);
  const seconds = requests / perSecond + bugs / APPLIED_PER_SECOND;
  if (seconds < MIN_SECONDS) return undefined;
  const megabytes = MEGABYTES.least + Math.ceil((bugs * MEGABYTES.ofThousandBugs) / 1_000);
  return (
    `${bugs} bugs to read: about ${requests} requests, and one for each attachment; ` +
    `at least ${durationOf(seconds)} at ${perSecond} requests a second, and ${megabytes} MB of memory`
  );
}

const durationOf = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
};
