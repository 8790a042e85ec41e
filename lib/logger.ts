import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { CapacityUsage } from './dynamodb/capacity.ts';
import { escapeInvisible } from './text.ts';
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
}

/** The format of the request log: JSON for CloudWatch, readable for terminals, or off. Errors are always logged. */
export type RequestLog = 'json' | 'readable' | 'off';

const NAMESPACE = 'Bugless';

/**
 * Opens the log: a structured line and metrics (in the embedded metric format) per request.
 *
 * @param service the service name of lines and metrics
 */
export function createLogger(requests: RequestLog, service = 'bugless'): ServiceLogger {
  const logger = new Logger({ serviceName: service, persistentKeys: { version: VERSION } });
  return {
    request: { json: structured(logger, service), readable, off: () => undefined }[requests],
    error: (message, { requestId, cause }) =>
      logger.error(message, {
        request_id: requestId,
        error: cause instanceof Error ? cause : new Error(String(cause)),
      }),
  };
}

function structured(logger: Logger, service: string): ServiceLogger['request'] {
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service });
  return ({ requestId, route, status, code, userId, milliseconds, capacity }) => {
    const { calls = 0, readUnits = 0, writeUnits = 0, retries = 0, conflicts = 0 } = capacity ?? {};
    logger.info('request', {
      request_id: requestId,
      route,
      status,
      code,
      user_id: userId,
      milliseconds: Math.round(milliseconds),
      calls,
      read_units: readUnits,
      write_units: writeUnits,
      retries,
      conflicts,
    });
    metrics.addMetric('Requests', MetricUnit.Count, 1);
    metrics.addMetric('Latency', MetricUnit.Milliseconds, milliseconds);
    metrics.addMetric('ReadUnits', MetricUnit.Count, readUnits);
    metrics.addMetric('WriteUnits', MetricUnit.Count, writeUnits);
    metrics.addMetric('Retries', MetricUnit.Count, retries);
    metrics.addMetric('Conflicts', MetricUnit.Count, conflicts);
    metrics.publishStoredMetrics();
    if (code === undefined) return;
    const errorsByCode = metrics.singleMetric();
    errorsByCode.addDimension('code', String(code));
    errorsByCode.addMetric('Errors', MetricUnit.Count, 1);
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
  process.stdout.write(
    `${new Date().toISOString().slice(11, 19)}  ${outcome}  ${method} ${escapeInvisible(path)}  ${caller}  ${usage.join(', ')}\n`,
  );
};
