import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventBus } from '../../lib/events/bus.ts';
import { changeSources } from '../../lib/events/change.ts';
import type { RecordServices } from '../../lib/events/consume-records.ts';
import { deliveryLog, withoutValues } from '../../lib/events/delivery-log.ts';
import { readEventSettings } from '../../lib/events/settings.ts';
import { openServices } from '../../lib/http/services.ts';

/** The services of the function `events`. */
export function eventServices(environment: Record<string, string | undefined>): RecordServices {
  const { EVENT_BUS_NAME, EVENTS_ENDPOINT, FAILED_EVENTS_QUEUE_URL, MAIL } = readEventSettings(environment);
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const queue = new SQSClient({});
  return {
    sources: changeSources(table, now),
    bus: eventBus(EVENT_BUS_NAME, EVENTS_ENDPOINT),
    isMailed: MAIL === 'true',
    timeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    log: deliveryLog(settings.SERVICE_NAME, settings.REQUEST_LOG === 'json'),
    failures: new Map(),
    async keepFailed(record, cause) {
      if (FAILED_EVENTS_QUEUE_URL === undefined) return;
      // Not the values of the bug, which may be private: the keys are enough to find it.
      const body = JSON.stringify({ record, error: String(withoutValues(cause)) }, (name, value) =>
        name === 'fields' ? undefined : value,
      );
      const input = { QueueUrl: FAILED_EVENTS_QUEUE_URL, MessageBody: body };
      await queue.send(new SendMessageCommand(input));
    },
  };
}
