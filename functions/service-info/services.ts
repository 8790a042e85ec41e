import { openServices } from '../../lib/http/services.ts';

/** The services of the endpoints that only need users and settings. */
export const infoServices = (environment: Record<string, string | undefined>) =>
  openServices(environment).services;
export type InfoServices = ReturnType<typeof infoServices>;
