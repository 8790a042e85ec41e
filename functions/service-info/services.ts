import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { type ListedWebhook, listedWebhooks } from '../../lib/changes/events/webhook-list.ts';
import { openServices } from '../../lib/http/services.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { productRepository } from '../../lib/products/repository.ts';

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

/** The file beside the bundle, in deployments with webhooks. */
const FILE = join(import.meta.dirname, 'webhooks.json');

/**
 * The webhooks of the deployment, read with the first request for them: from the file beside the bundle, or, where `npm start`
 * serves the sources, from `WEBHOOKS` of the environment.
 *
 * @throws Error when it is not a list of webhooks
 */
function openWebhooks(environment: Readonly<Record<string, string | undefined>>) {
  const given = environment['WEBHOOKS'];
  let webhooks: ListedWebhook[] | undefined;
  return (): readonly ListedWebhook[] => {
    webhooks ??= listedWebhooks.parse(JSON.parse(given ?? readFile()));
    return webhooks;
  };
}

const readFile = (): string => (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '[]');
