import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventBus } from '../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { keyedRecord as keyed, type RecordServices } from '../../lib/changes/events/consume-records.ts';
import { deliveryLog, withoutValues } from '../../lib/changes/events/delivery-log.ts';
import { readEventSettings } from '../../lib/changes/events/settings.ts';
import { openServices } from '../../lib/http/services.ts';

/** A call that hangs must end before the function does, which has 60 seconds. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** The services of the function `events`. */
export function eventServices(environment: Record<string, string | undefined>): RecordServices {
  const { EVENT_BUS_NAME, EVENTS_ENDPOINT, FAILED_EVENTS_QUEUE_URL, MAIL } = readEventSettings(environment);
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const queue = new SQSClient({ requestHandler: TIMEOUTS });
  return {
    ...{ sources: eventRepositories(table, now), now },
    bus: eventBus(EVENT_BUS_NAME, EVENTS_ENDPOINT),
    isMailed: MAIL === 'true',
    timeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    log: deliveryLog(settings.SERVICE_NAME, { hasMetrics: settings.REQUEST_LOG === 'json' }),
    failures: new Map(),
    async keepFailed(record, cause) {
      if (FAILED_EVENTS_QUEUE_URL === undefined) return;
      // Not the values of the bug, which may be private: the keys are enough to find it.
      const { data } = keyed.safeParse(record);
      const { pk, sk } = data?.dynamodb.Keys ?? {};
      const failure = { key: { pk: pk?.S, sk: sk?.S }, error: String(withoutValues(cause)), record };
      const body = JSON.stringify(failure, (name, value) => (name === 'fields' ? undefined : value));
      const input = { QueueUrl: FAILED_EVENTS_QUEUE_URL, MessageBody: body };
      await queue.send(new SendMessageCommand(input));
    },
  };
}
