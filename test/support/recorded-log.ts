import type { DeliveryLog, DeliveryMetric, LoggedPause, LoggedPlace } from '../../lib/events/delivery-log.ts';

/** A log that keeps what it gets. */
export function recordedLog() {
  const lines: (LoggedPlace & Partial<LoggedPause> & { message: string })[] = [];
  const counted: Partial<Record<DeliveryMetric, number>> = {};
  const log: DeliveryLog = {
    count(metric, number = 1) {
      counted[metric] = (counted[metric] ?? 0) + number;
    },
    failed: (message, place) => void lines.push({ message, ...place }),
    failing: (message, place) => void lines.push({ message, ...place }),
    paused: (message, place, pause) => void lines.push({ message, ...place, ...pause }),
    publish: () => undefined,
  };
  return { log, lines, counted };
}
