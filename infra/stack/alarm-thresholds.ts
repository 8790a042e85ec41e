import * as z from 'zod/mini';

/** @param fallback the alarm fires above it */
const threshold = (fallback: number) =>
  z._default(z.number('must be a number').check(z.minimum(0, 'must be 0 or more')), fallback);

/** The option `alarmThresholds`: every alarm, with the value that it fires above. */
export const alarmThresholdsSchema = z.strictObject(
  {
    /** percent of the responses in 15 minutes */
    ServerErrorShare: threshold(50),
    /** responses in 5 minutes */
    RefusedRequests: threshold(1_000),
    /** responses in 5 minutes */
    ServerErrors: threshold(5),
    /** milliseconds */
    Latency: threshold(3_000),
    /** requests to DynamoDB in 5 minutes */
    Throttling: threshold(10),
    /** transactions in 5 minutes */
    TransactionConflicts: threshold(200),
    /** requests in an hour */
    UnexpectedCost: threshold(300_000),
    /** lines in 5 minutes */
    LoggedErrors: threshold(0),
    /** requests in 15 minutes, at most: with `expectsTraffic` */
    NoRequests: threshold(0),
    /** milliseconds */
    EventDelay: threshold(300_000),
    /** messages */
    FailedEvents: threshold(0),
    /** messages */
    FailedWebhooks: threshold(0),
    /** refusals in 5 minutes */
    Refusals: threshold(0),
    /** seconds */
    MailDelay: threshold(5_400),
    /** changes in 5 minutes that wait for more than 90 minutes */
    LateMails: threshold(0),
    /** messages */
    FailedMails: threshold(0),
    /** requests for sign-in in 5 minutes over the limit of all */
    SignInLimit: threshold(0),
  },
  'must be an object',
);

export type AlarmThresholds = Readonly<z.output<typeof alarmThresholdsSchema>>;
export type AlarmName = keyof AlarmThresholds;

const MINUTE_MS = 60_000;
const MINUTE_SECONDS = 60;
const count = (number: number): string => number.toLocaleString('en');

/** What each alarm says, by its threshold. */
export const ALARM_TEXTS: Readonly<Record<AlarmName, (threshold: number) => string>> = {
  ServerErrorShare: (threshold) =>
    `More than ${threshold === 50 ? 'half' : `${count(threshold)} %`} of the responses in a quarter of an hour, of three at least, had status 500 or above: an outage.`,
  RefusedRequests: (threshold) =>
    `More than ${count(threshold)} responses in five minutes had status 401 or 429: somebody tries API keys, or a client ignores requestsPerSecond. The access log has the source addresses.`,
  ServerErrors: (threshold) =>
    `More than ${count(threshold)} responses with status 500 or above in five minutes: functions fail, or DynamoDB does not respond.`,
  Latency: (threshold) =>
    `The 99th percentile of the latency has been over ${count(threshold / 1_000)} seconds for a quarter of an hour.`,
  Throttling: (threshold) =>
    `DynamoDB has throttled more than ${count(threshold)} requests in five minutes. If the load is legitimate, raise maxReadRequestUnits or maxWriteRequestUnits.`,
  TransactionConflicts: (threshold) =>
    `More than ${count(threshold)} cancelled transactions in five minutes, for a quarter of an hour.`,
  UnexpectedCost: (threshold) =>
    `More than ${count(threshold)} requests in an hour, about a dollar: a client may be in a loop.`,
  LoggedErrors: (threshold) =>
    `${threshold === 0 ? 'Functions have logged errors' : `Functions have logged more than ${count(threshold)} errors`} in five minutes, or were ended by Lambda. The saved query errors of CloudWatch Logs Insights shows them.`,
  NoRequests: (threshold) =>
    `There were ${threshold === 0 ? 'no' : `at most ${count(threshold)}`} requests in a quarter of an hour: the address may lead nowhere, as with a domain or certificate that has expired.`,
  EventDelay: (threshold) =>
    `Events are more than ${threshold / MINUTE_MS} minutes late: the function events fails, or is throttled. Its log says why. Changes are tried again for 22 hours.`,
  FailedEvents: () =>
    'Changes could not become events: they are in the queue of the output FailedEventsQueue. npm run admin -- events failed lists them, events redrive sends them again.',
  FailedWebhooks: () =>
    'A webhook refused events, or was not there for 24 hours: they are in the queue of the output FailedWebhooksQueue, which npm run admin -- events failed lists, with the errors.',
  Refusals: () =>
    'Events or mails were refused in five minutes: by EventBridge, by Amazon SES (sandbox, paused, quota, another identity), or by the table. They are tried again. The logs of the functions events and mail say why.',
  MailDelay: (threshold) =>
    `Messages are in the queue of mails for more than ${threshold / MINUTE_SECONDS} minutes: the function mail does not run, or is throttled. Its log says why.`,
  LateMails: () =>
    'Mails wait for more than 90 minutes: there are more than mailPerHour, or others go first, or Amazon SES does not take them. The log of the function mail says why, with the id of the user.',
  FailedMails: () =>
    'Changes, or messages about accounts, could not be mailed: they are in the queues of the outputs FailedMailQueue and FailedAccountsQueue. npm run admin -- events failed lists them, events redrive sends them again.',
  SignInLimit: () =>
    'A share of signIn.perHour is used up, and others get no mails for signing in until the next hour; or requests waited for more than 10 minutes. The access log has the addresses of POST /rest/bugless/sign_in.',
};
