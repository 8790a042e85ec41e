import { createLogger } from '../../lib/logger.ts';
import { anonymous } from '../../lib/people/caller.ts';
import { readSettings } from '../../lib/settings.ts';
import { openFiles } from './files.ts';

/** The explorer's routes are public: credentials are not read. */
const noUsers = {
  byApiKey: async () => anonymous,
  byToken: async () => undefined,
  byPassword: async () => anonymous,
};

/**
 * The services of the explorer's endpoints. They do not use the table.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export function explorerServices(environment: Record<string, string | undefined>) {
  const settings = readSettings(environment);
  const { REQUEST_LOG, SERVICE_NAME } = settings;
  return { settings, users: noUsers, logger: createLogger(REQUEST_LOG, SERVICE_NAME), files: openFiles() };
}
export type ExplorerServices = ReturnType<typeof explorerServices>;
