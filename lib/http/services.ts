import { createLogger } from '../logger.ts';
import { userRepository } from '../people/repository.ts';
import { readSettings } from '../settings.ts';
import { openTable } from '../table/client.ts';

/**
 * Opens the table, and the services that every function needs.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export function openServices(environment: Record<string, string | undefined>) {
  const settings = readSettings(environment);
  const { TABLE_NAME, DYNAMODB_ENDPOINT, REQUEST_LOG, SERVICE_NAME } = settings;
  const logger = createLogger(REQUEST_LOG, SERVICE_NAME);
  const table = openTable(TABLE_NAME, DYNAMODB_ENDPOINT, {
    retryTimeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    requestTimeoutMs: settings.DATABASE_REQUEST_TIMEOUT_MS,
    indexesComments: settings.INDEX_COMMENTS,
    logsEvents: settings.EVENTS,
    writeUnitsPerSecond: settings.MAX_WRITE_REQUEST_UNITS / 2,
    onWarning: (message) => logger.warn(message),
  });
  const { now } = table;
  const users = userRepository(table, now);
  return { table, services: { settings, users, logger, now, requireOpen: table.format.requireOpen } };
}

/** What every function that uses the table needs. */
export type CommonServices = ReturnType<typeof openServices>['services'];
