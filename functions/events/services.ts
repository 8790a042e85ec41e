import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { attachmentRepository } from '../../lib/attachments/repository.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { commentRepository } from '../../lib/comments/repository.ts';
import { eventBus } from '../../lib/events/bus.ts';
import type { RecordServices } from '../../lib/events/consume-records.ts';
import { readEventSettings } from '../../lib/events/settings.ts';
import { openServices } from '../../lib/http/services.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the function `events`. */
export function eventServices(environment: Record<string, string | undefined>): RecordServices {
  const { EVENT_BUS_NAME, EVENTS_ENDPOINT, FAILED_EVENTS_QUEUE_URL, MAIL } = readEventSettings(environment);
  const { table, services } = openServices(environment);
  const { now, users, settings, logger } = services;
  const queue = new SQSClient({});
  return {
    sources: {
      table,
      users,
      bugs: bugRepository(table, now),
      comments: commentRepository(table),
      attachments: attachmentRepository(table, now),
      products: productRepository(table, now),
      bugSettings: bugSettingsRepository(table),
    },
    bus: eventBus(EVENT_BUS_NAME, EVENTS_ENDPOINT),
    isMailed: MAIL === 'true',
    timeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    async keepFailed(record, cause) {
      logger.error('A record of the stream cannot become events', { requestId: '', cause });
      if (FAILED_EVENTS_QUEUE_URL === undefined) return;
      const message = { record, error: String(cause) };
      const input = { QueueUrl: FAILED_EVENTS_QUEUE_URL, MessageBody: JSON.stringify(message) };
      await queue.send(new SendMessageCommand(input));
    },
  };
}
