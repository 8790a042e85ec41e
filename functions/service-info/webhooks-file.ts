import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ListedWebhook, listedWebhooks } from '../../lib/changes/events/webhook-list.ts';

/** The file beside the bundle, in deployments with webhooks. */
const FILE = join(import.meta.dirname, 'webhooks.json');

/**
 * The webhooks of the deployment, read with the first request for them: from the file beside the bundle, or, where `npm start`
 * serves the sources, from `WEBHOOKS` of the environment.
 *
 * @throws Error when it is not a list of webhooks
 */
export function openWebhooks(environment: Readonly<Record<string, string | undefined>>) {
  const given = environment['WEBHOOKS'];
  let webhooks: ListedWebhook[] | undefined;
  return (): readonly ListedWebhook[] => {
    webhooks ??= listedWebhooks.parse(JSON.parse(given ?? readFile()));
    return webhooks;
  };
}

const readFile = (): string => (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '[]');
