import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { VERSION } from '../version.ts';

/** The metrics of the functions `events` and `mail`. infra/README.md, "Events, webhooks, mail" */
export type DeliveryMetric =
  | 'EventsSent'
  | 'EventsRefused'
  | 'MailsSent'
  | 'MailsDelayed'
  | 'MailsRefused'
  | 'MailsUndeliverable';

/** What a line of the log is about. */
export interface LoggedPlace {
  /** absent: the message or the record cannot be read */
  bug?: number;
  /** of the bug, after the change */
  revision?: number;
  /** how often the change has been tried */
  attempt: number;
}

/** The log and the metrics of the functions that tell others of changes. */
export interface DeliveryLog {
  /** Counts something until the metrics are published. */
  count(metric: DeliveryMetric, number?: number): void;
  /** Writes a line about a failure: without values of bugs and addresses, which may be in `cause`. */
  failed(message: string, place: LoggedPlace, cause: unknown): void;
  /** Writes the metrics, where something was counted. */
  publish(): void;
}

/**
 * The namespace of the metrics of a stack. They have no dimensions, so the stack's name is in it.
 *
 * @param service the stack's name
 */
export const deliveryNamespace = (service: string): string => `Bugless/${service}`;

/** Opens the log: structured lines, and metrics in the embedded metric format. */
export function deliveryLog(service: string): DeliveryLog {
  const logger = new Logger({ serviceName: service, persistentKeys: { version: VERSION } });
  const metrics = new Metrics({ namespace: deliveryNamespace(service) });
  metrics.clearDefaultDimensions();
  const counted = new Map<DeliveryMetric, number>();
  return {
    count(metric, number = 1) {
      counted.set(metric, (counted.get(metric) ?? 0) + number);
    },
    failed: (message, place, cause) => logger.error(message, { ...place, error: withoutValues(cause) }),
    publish() {
      if (counted.size === 0) return;
      for (const [metric, number] of counted) metrics.addMetric(metric, MetricUnit.Count, number);
      counted.clear();
      // Without a set of dimensions, CloudWatch would make no metric: this is the empty one.
      metrics.addDimensions({});
      metrics.publishStoredMetrics();
    },
  };
}

const ADDRESS = /[^\s@"'<>:,;]+@[^\s@"'<>,;]+/g;
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

/**
 * An error as it may be logged: the message of a service of AWS without addresses and quoted values. Those of other errors
 * may have any part of what was read, and are left out.
 */
export function withoutValues(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error('unknown');
  const origin = cause.cause instanceof Error && '$metadata' in cause.cause ? cause.cause : cause;
  const text = '$metadata' in origin ? origin.message : '';
  const shown = new Error(text.replaceAll(QUOTED, '…').replaceAll(ADDRESS, '…'));
  shown.name = origin.name;
  const frames = (origin.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  shown.stack = [`${shown.name}: ${shown.message}`, ...frames].join('\n');
  return shown;
}
