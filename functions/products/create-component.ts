import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { type ComponentSources, createComponent as create } from '../../lib/products/change-component.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { newComponent } from '../../lib/products/requests.ts';
import type { ProductServices } from './services.ts';

type ComponentServices = ComponentSources & Pick<ProductServices, 'settings' | 'idempotent'>;

/** Creates a component, and responds with its id. functions/administration/README.md 2. */
export const createComponent: Endpoint<ComponentServices> = async (request, services) => {
  const caller = await request.caller;
  const user = await requireEditor(services.products, caller);
  const {
    product,
    name,
    isactive,
    is_open = isactive ?? true,
    ...fields
  } = parseKnownParameters(newComponent, request.parameters);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return services.idempotent(request, user, (recordFor) =>
    create(services, timeout, caller, { product, name, is_open, fields }, recordFor),
  );
};
