import { escapeInvisible, escapeLine } from './base/text.ts';
import { machineTime } from './base/time.ts';
import type { CapacityUsage } from './table/request-budget.ts';
import { VERSION } from './version.ts';

/** One line of the request log. */
interface RequestLogEntry {
  requestId: string;
  method: string;
  /** may contain personal data such as logins, so it is logged locally only */
  path: string;
  /** the route key of API Gateway: `GET /rest/product/{id_or_name+}` */
  route: string;
  status: number;
  /** Bugzilla's error code */
  code: number | undefined;
  userId: number | undefined;
  milliseconds: number;
  capacity: CapacityUsage | undefined;
}

/** The log of the service. It must not get credentials or texts of users. */
export interface ServiceLogger {
  request(entry: RequestLogEntry): void;
  error(message: string, details: { requestId: string; cause: unknown }): void;
  /** What is wrong with the process, not with a request. */
  warn(message: string): void;
}

/**
 * The format of the request log: JSON for CloudWatch, readable for terminals, or off. Errors are always logged, unless it is
 * silent.
 */
const NAMESPACE = 'Bugless';

/**
 * Opens the log: a line of JSON a request, with metrics in the embedded metric format, and one for each unexpected error.
 *
 * @param service the service name of lines and metrics
 */
export function createLogger(
  requests: 'json' | 'readable' | 'off' | 'silent',
  service = 'bugless',
): ServiceLogger {
  const none = () => undefined;
  return {
    request: { json: structured(service), readable, off: none, silent: none }[requests],
    warn(message) {
      if (requests === 'silent') return;
      writeLine({ ...lineOf('ERROR', message, service), timestamp: machineTime().toISOString() });
    },
    error(message, { requestId, cause }) {
      if (requests === 'silent') return;
      const timestamp = machineTime().toISOString();
      writeLine({
        ...lineOf('ERROR', message, service),
        ...{ timestamp, request_id: requestId, error: loggedError(cause) },
      });
    },
  };
}

const ALWAYS: readonly LoggedMetric[] = [
  { Name: 'Requests' },
  { Name: 'Latency', Unit: 'Milliseconds' },
  { Name: 'ReadUnits' },
  { Name: 'WriteUnits' },
];

/** A line has its metrics under their names, so that each number stands in it once. */
function structured(service: string): ServiceLogger['request'] {
  return ({ requestId, route, status, code, userId, milliseconds, capacity }) => {
    const { calls = 0, readUnits = 0, writeUnits = 0, retries = 0, conflicts = 0 } = capacity ?? {};
    const seldom = {
      ...(retries === 0 ? {} : { Retries: retries }),
      ...(conflicts === 0 ? {} : { Conflicts: conflicts }),
    };
    const metrics = [...ALWAYS, ...Object.keys(seldom).map((Name) => ({ Name }))];
    const own = { metrics, dimensions: ['service'] };
    const failed = { metrics: [{ Name: 'Errors' }], dimensions: ['service', 'code'] };
    writeLine({
      ...lineOf('INFO', 'request', service),
      request_id: requestId,
      route,
      status,
      user_id: userId,
      calls,
      Requests: 1,
      Latency: Math.round(milliseconds * 10) / 10,
      ReadUnits: readUnits,
      WriteUnits: writeUnits,
      ...seldom,
      ...(code === undefined
        ? embeddedMetrics(NAMESPACE, Date.now(), own)
        : { code: String(code), Errors: 1, ...embeddedMetrics(NAMESPACE, Date.now(), own, failed) }),
    });
  };
}

const readable: ServiceLogger['request'] = ({
  method,
  path,
  status,
  code,
  userId,
  milliseconds,
  capacity,
}) => {
  const caller = userId === undefined ? 'anonymous' : `user ${userId}`;
  const { calls = 0, readUnits = 0, writeUnits = 0, retries = 0 } = capacity ?? {};
  const usage = [
    `${milliseconds.toFixed(1)} ms`,
    `${calls} calls`,
    `${readUnits} read`,
    `${writeUnits} written`,
    ...(retries === 0 ? [] : [`${retries} retries`]),
  ];
  const outcome = code === undefined ? String(status) : `${status} (${code})`;
  const time = machineTime().toISOString().slice(11, 19);
  process.stdout.write(
    `${escapeLine(`${time}  ${outcome}  ${method} ${path}  ${caller}  ${usage.join(', ')}`)}\n`,
  );
};

/** A metric of CloudWatch, whose value is a field of the line. */
interface LoggedMetric {
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
