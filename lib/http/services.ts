import { createLogger } from '../logger.ts';
import { type UserRepository, userRepository } from '../people/repository.ts';
import { readSettings, type Settings } from '../settings.ts';
import { openTable, type Table } from '../table/client.ts';
import type { HandlerServices } from './handler.ts';

/** What every function that uses the table needs. */
export interface CommonServices extends HandlerServices {
  settings: Settings;
  users: UserRepository;
  now: () => Date;
  requireOpen: () => Promise<void>;
}

/**
 * Opens the table, and the services that every function needs.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export function openServices(environment: Record<string, string | undefined>): {
  table: Table;
  services: CommonServices;
} {
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
