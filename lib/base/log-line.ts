import { VERSION } from '../version.ts';
import { escapeInvisible } from './text.ts';

/** A metric of CloudWatch, whose value is a field of the line. */
export interface LoggedMetric {
  Name: string;
  /** absent: a count */
  Unit?: 'Milliseconds';
}

/** Metrics with the same dimensions: fields of the line with texts. */
interface MetricSet {
  metrics: readonly LoggedMetric[];
  /** an empty list: without dimensions */
  dimensions: readonly string[];
}

/**
 * Writes a line of JSON to standard output: not by `console.log`, which Lambda's log format JSON wraps, so that CloudWatch would
 * find no metrics in it. Control characters are escaped for terminals: of JSON.stringify's, some are not.
 */
export const writeLine = (fields: object): void => {
  process.stdout.write(`${escapeInvisible(JSON.stringify(fields))}\n`);
};

/** The first fields of a line. */
export const lineOf = (level: 'INFO' | 'WARN' | 'ERROR', message: string, service: string) => ({
  level,
  message,
  service,
  version: VERSION,
});

/**
 * Metrics in a line, in CloudWatch's embedded metric format. What a line has beside them stays as it is.
 *
 * @param now milliseconds since 1970
 */
export const embeddedMetrics = (namespace: string, now: number, ...sets: readonly MetricSet[]) => ({
  _aws: {
    Timestamp: now,
    CloudWatchMetrics: sets.map(({ metrics, dimensions }) => ({
      Namespace: namespace,
      Dimensions: [dimensions],
      Metrics: metrics,
    })),
  },
});

/** An error as lines have it, with its causes. `npm run stack-trace` translates its positions. */
export function loggedError(cause: unknown): object {
  if (!(cause instanceof Error)) return { name: 'Error', message: String(cause) };
  const { name, message, stack } = cause;
  return { name, message, stack, ...(cause.cause === undefined ? {} : { cause: loggedError(cause.cause) }) };
}
