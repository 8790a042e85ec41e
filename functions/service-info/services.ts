import { openServices } from '../../lib/http/services.ts';
import { openWebhooks } from './webhooks-file.ts';

/** The services of the endpoints that only need users, settings and the list of webhooks. */
export const infoServices = (environment: Record<string, string | undefined>) => ({
  ...openServices(environment).services,
  webhooks: openWebhooks(environment),
});
export type InfoServices = ReturnType<typeof infoServices>;
