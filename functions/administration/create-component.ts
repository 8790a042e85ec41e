import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { createComponent as create } from '../../lib/products/new-component.ts';
import { requireEditor } from '../../lib/users/permissions.ts';
import { refuseUnknown } from './named.ts';
import { knownParameters, newComponent } from './schemas.ts';
import type { AdministrationServices } from './services.ts';

const KNOWN = knownParameters(newComponent);

/**
 * Creates a component, and responds with its id. functions/administration/README.md 2.
 *
 * @throws errors.parameterUnknown (400, 53), and as createComponent of lib/products
 */
export const createComponent: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  const user = requireEditor(caller);
  refuseUnknown(request.parameters, KNOWN);
  const {
    isactive,
    is_open = isactive ?? true,
    ...given
  } = parseParameters(newComponent, request.parameters);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return services.idempotent(request, user, (recordFor) =>
    create(services, timeout, caller, { ...given, is_open }, recordFor),
  );
};
