import { errors } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import type { Middleware } from '../handler-types.ts';
import { requireRequest } from '../request.ts';
import { writes } from '../routes.ts';

/**
 * Refuses writes while the deployment is read-only, so that none is lost when another table takes over.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(readOnly(services))
 */
export const readOnly = ({ settings }: { settings: Pick<Settings, 'READ_ONLY'> }): Middleware => ({
  before: ({ event }) => {
    const { route } = requireRequest(event);
    if (settings.READ_ONLY && writes(route) && route.isAlwaysOpen !== true) throw errors.readOnly();
  },
});
