import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { eventBus } from '../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { keyedRecord as keyed, type RecordServices } from '../../lib/changes/events/consume-records.ts';
import { deliveryLog, withoutValues } from '../../lib/changes/events/delivery-log.ts';
import { openServices } from '../../lib/http/services.ts';
import { type Environment, optionalSetting, readEnvironment } from '../../lib/settings.ts';

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

/** Settings of the function `events`, beside those that all functions have. */
const schema = z.object({
  /** of EventBridge */
  EVENT_BUS_NAME: z.string('must name the event bus').check(z.minLength(1, 'must name the event bus')),
  /** URL of EventBridge; AWS by default */
  EVENTS_ENDPOINT: optionalSetting,
  /** URL of the SQS queue that gets records which cannot become events; absent: they are logged only */
  FAILED_EVENTS_QUEUE_URL: optionalSetting,
  /** whether the function `mail` is told of each change */
  MAIL: z._default(z.enum(['true', 'false']), 'false'),
});

/**
 * Reads the settings of the function `events` from an environment.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export const readEventSettings = (environment: Environment): Readonly<z.infer<typeof schema>> =>
  readEnvironment(schema, environment);
