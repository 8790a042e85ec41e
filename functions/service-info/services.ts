import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { openServices } from '../../lib/http/services.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { openWebhooks } from './webhooks-file.ts';

/** The services of the endpoints that need users with their saved searches and duties, settings, and the list of webhooks. */
export function infoServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  return {
    ...services,
    bugSettings: bugSettingsRepository(table),
    products: productRepository(table, services.now),
    savedSearches: savedSearchRepository(table),
    webhooks: openWebhooks(environment),
  };
}
export type InfoServices = ReturnType<typeof infoServices>;
