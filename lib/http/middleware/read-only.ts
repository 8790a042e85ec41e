import { errors } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import type { Middleware } from '../handler-types.ts';
import { requireRequest } from '../request.ts';
import { writes } from '../routes.ts';

interface ReadOnlyServices {
  settings: Pick<Settings, 'READ_ONLY'>;
  /** absent: the function has no table */
  requireOpen?: () => Promise<void>;
}

/**
 * Refuses writes while the deployment is read-only, so that none is lost when another table takes over, and while an import
 * has closed the table. Routes that are always open, such as those of sign-in, are served.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(readOnly(services))
 */
export const readOnly = ({ settings, requireOpen }: ReadOnlyServices): Middleware => ({
  before: async ({ event }) => {
    const { route } = requireRequest(event);
    if (!writes(route) || route.isAlwaysOpen === true) return;
    if (settings.READ_ONLY) throw errors.readOnly();
    await requireOpen?.();
  },
});
