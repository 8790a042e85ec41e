import { openServices } from '../../lib/http/services.ts';
import { savedSearchRepository } from '../../lib/saved-searches/repository.ts';
import { openWebhooks } from './webhooks-file.ts';

/** The services of the endpoints that only need users with their saved searches, settings and the list of webhooks. */
export function infoServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  return { ...services, webhooks: openWebhooks(environment), savedSearches: savedSearchRepository(table) };
}
export type InfoServices = ReturnType<typeof infoServices>;
