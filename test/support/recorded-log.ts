import type {
  DeliveryLog,
  DeliveryMetric,
  LogContext,
  LoggedPause,
} from '../../lib/changes/events/delivery-log.ts';

/** A log that keeps what it gets. */
export function recordedLog() {
  const lines: (LogContext & Partial<LoggedPause> & { message: string })[] = [];
  const counted: Partial<Record<DeliveryMetric, number>> = {};
  const log: DeliveryLog = {
    count(metric, number = 1) {
      counted[metric] = (counted[metric] ?? 0) + number;
    },
    failed: (message, context) => void lines.push({ message, ...context }),
    failing: (message, context) => void lines.push({ message, ...context }),
    paused: (message, context, pause) => void lines.push({ message, ...context, ...pause }),
    publish: () => undefined,
  };
  return { log, lines, counted };
}
