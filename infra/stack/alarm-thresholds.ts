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
