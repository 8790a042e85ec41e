import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost } from './capacity.ts';
import { measuredCosts } from './operations.ts';
import { printTable, rounded } from './print.ts';

/** AWS's list prices in US dollars, us-east-1, without free tiers, as of November 2025. */
const PRICES = {
  gatewayRequest: 1.0 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** arm64, a GB for a second */
  lambdaGigabyteSecond: 0.0000133334,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  /** a GB for a month, with point-in-time recovery */
  storage: 0.25 + 0.2,
  logGigabyte: 0.5,
  transferGigabyte: 0.09,
  metric: 0.3,
  /** of an alarm, for a month */
  alarmMetric: 0.1,
  trace: 5 / 1e6,
};

/** Assumptions on AWS, which are not measured here. */
const ASSUMED = {
  lambdaGigabytes: 1,
  /** of one call to DynamoDB from Lambda, in milliseconds */
  callMilliseconds: 4,
  /** of everything else in a warm function */
  handlerMilliseconds: 3,
  /** log lines of a request: access log, request log, metrics */
  logBytes: 1_500,
  /** in which the requests of a month come: 21 days of ten hours */
  busySeconds: 21 * 10 * 3_600,
};

/** X-Ray records the first request of a second, and of the others this share. */
const SAMPLED = 0.05;

/** With which a test compares the figures of documents. */
const RESULTS = join(import.meta.dirname, 'results/cost.json');

/** US dollars per million requests, and the monthly bill of a sample team. */
export async function cost(): Promise<void> {
  const costs = await measuredCosts();
  const rows = [...costs].map(([operation, measured]) => ({ operation, ...dollarsByService(measured) }));
  const month = bill(MONTH, costs);
  const tracker = bill(TRACKER, costs);
  printTable('Dollars for a million requests (list prices of us-east-1, November 2025, no free tier)', rows);
  printTable('A month of 200 users, 50,000 bugs and 500,000 comments', month);
  printTable('The same number of requests to a tracker', tracker);
  const figures = Object.fromEntries([
    ...rows.map((row) => [row.operation, row.total]),
    ...month.map((row) => [row['what'], row['dollars']]),
    ...tracker.slice(-1).map((row) => ['a month of a tracker', row['dollars']]),
  ]);
  writeFileSync(RESULTS, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function dollars(measured: Cost) {
  const seconds = (ASSUMED.handlerMilliseconds + measured.inSequence * ASSUMED.callMilliseconds) / 1_000;
  return {
    gateway: PRICES.gatewayRequest + (measured.bytes / 1e9) * PRICES.transferGigabyte,
    lambda: PRICES.lambdaRequest + seconds * ASSUMED.lambdaGigabytes * PRICES.lambdaGigabyteSecond,
    dynamodb: measured.readUnits * PRICES.readUnit + measured.writeUnits * PRICES.writeUnit,
    logs: (ASSUMED.logBytes / 1e9) * PRICES.logGigabyte,
  };
}

const total = (measured: Cost) => Object.values(dollars(measured)).reduce((sum, one) => sum + one, 0);

function dollarsByService(measured: Cost) {
  const million: Record<string, string> = Object.fromEntries(
    Object.entries(dollars(measured)).map(([name, one]) => [name, rounded(one * 1e6)]),
  );
  return { ...million, total: rounded(total(measured) * 1e6) };
}

/** The monthly requests of 200 users and their bots: on each of 21 days 200 reads and 5 writes per user, the rest by bots. */
const MONTH: Record<string, number> = {
  'comments of a bug, user': 840_000,
  'comments of a bug, new_since, user': 1_000_000,
  'comment by id, user': 100_000,
  'product by id, user': 200_000,
  'all products, id and name, user': 200_000,
  'ids of accessible products, user': 100_000,
  'create comment, user': 21_000,
  'add a tag in use, user': 5_000,
  'search tags, user': 10_000,
  'update product, user': 100,
  'create product, user': 20,
};

/** The same number of requests by those who use it as a tracker: bugs one by one, lists and searches, few writes. */
const TRACKER: Record<string, number> = {
  'bug by id, user': 700_000,
  'open bugs of a product, user': 300_000,
  'quicksearch, user': 125_000,
  'bugs of an assignee, user': 125_000,
  'comments of a bug, user': 500_000,
  'comments of a bug, new_since, user': 400_000,
  'product by id, user': 276_120,
  'create comment, user': 30_000,
  'change a field of a bug, user': 15_000,
  'create bug, user': 5_000,
};

/** Items of a bug and of a comment with its pointer, 600 characters of text each, and 100 bytes that DynamoDB adds to an item. */
const BYTES_OF = { bug: 700 + 100, comment: 600 + 330 + 130 + 200 };
/** Of the functions, of 401 and 429; of alarms. */
const METRICS = 12;
const ALARM_METRICS = 9;

function bill(mix: Record<string, number>, costs: Map<string, Cost>): Record<string, string>[] {
  const requests = Object.values(mix).reduce((sum, one) => sum + one, 0);
  const forRequests = Object.entries(mix).reduce((sum, [operation, times]) => {
    const measured = costs.get(operation);
    if (measured === undefined) throw new Error(`There is no operation '${operation}'`);
    return sum + times * total(measured);
  }, 0);
  const { busySeconds } = ASSUMED;
  const traces = Math.min(requests, busySeconds + Math.max(requests - busySeconds, 0) * SAMPLED);
  const gigabytes = (50_000 * BYTES_OF.bug + 500_000 * BYTES_OF.comment) / 1e9;
  const lines: [string, number][] = [
    [`${requests.toLocaleString('en')} requests`, forRequests],
    [`${rounded(gigabytes)} GB in the table, with point-in-time recovery`, gigabytes * PRICES.storage],
    [`${METRICS} metrics`, METRICS * PRICES.metric],
    [`${ALARM_METRICS} metrics of alarms`, ALARM_METRICS * PRICES.alarmMetric],
    [`traces`, traces * PRICES.trace],
  ];
  const sum = lines.reduce((all, [, one]) => all + one, 0);
  return [...lines, ['a month', sum] as const].map(([what, one]) => ({
    what: String(what),
    dollars: rounded(Number(one)),
  }));
}
