import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import {
  type ComponentSources,
  changeComponent,
  createComponent as create,
} from '../../lib/products/change-component.ts';
import { byParameter, componentValue } from '../../lib/products/component-fields.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { componentUpdate, newComponent } from '../../lib/products/requests.ts';
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

/** Changes the component of the path or the parameters, and responds with it. functions/administration/README.md 2. */
export const updateComponent: Endpoint<ComponentServices> = async (request, services) => {
  const caller = await request.caller;
  await requireEditor(services.products, caller);
  const { product, component, name, sort_key, is_active, isactive, is_open, ...fields } =
    parseKnownParameters(componentUpdate, request.parameters);
  const path = request.pathParameter('id_or_name');
  // As in Bugzilla, which has no component by its id.
  if (path !== '' && !path.includes('/')) throw errors.routeUnknown(request.method, request.path);
  const named = { path, product, component };
  const changes = { name, sort_key, is_open: is_active ?? isactive ?? is_open, fields };
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  const part = await changeComponent(services, timeout, caller, named, changes);
  return ok({
    id: part.id,
    name: part.name,
    ...byParameter((field) => componentValue(part, field)),
    sort_key: part.sort_key,
    is_active: part.is_active,
  });
};
