import { createLogger } from '../../lib/logger.ts';
import { readSettings } from '../../lib/settings.ts';
import { anonymous } from '../../lib/users/caller.ts';
import { openFiles } from './files.ts';

/** Its routes don't ask who calls. */
const nobody = {
  byApiKey: async () => anonymous,
  byToken: async () => undefined,
  byPassword: async () => anonymous,
};

/** What the explorer's endpoints work with, of the function's environment: no table. */
export function explorerServices(environment: Record<string, string | undefined>) {
  const settings = readSettings(environment);
  return { settings, users: nobody, log: createLogger(settings.REQUEST_LOG), files: openFiles() };
}
export type ExplorerServices = ReturnType<typeof explorerServices>;
