import { errors } from '../../lib/errors.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import {
  type ComponentSources,
  changeComponent,
  createComponent as create,
} from '../../lib/products/change-component.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { componentUpdate, newComponent } from '../../lib/products/requests.ts';
import type { ProductServices } from './services.ts';

type ComponentServices = ComponentSources & Pick<ProductServices, 'settings' | 'idempotent'>;

/** Creates a component, and responds with its id. functions/administration/README.md 2. */
export const createComponent: Endpoint<ComponentServices> = async (request, services) => {
  const caller = await request.caller;
  const user = await requireEditor(services.products, caller);
  const {
    isactive,
    is_open = isactive ?? true,
    ...given
  } = parseKnownParameters(newComponent, request.parameters);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return services.idempotent(request, user, (recordFor) =>
    create(services, timeout, caller, { ...given, is_open }, recordFor),
  );
};

/** Changes the component of the path or the parameters, and responds with it. functions/administration/README.md 2. */
export const updateComponent: Endpoint<ComponentServices> = async (request, services) => {
  const caller = await request.caller;
  await requireEditor(services.products, caller);
  const { product, component, is_active, isactive, is_open, ...given } = parseKnownParameters(
    componentUpdate,
    request.parameters,
  );
  const path = request.pathParameter('id_or_name');
  // As in Bugzilla, which has no component by its id.
  if (path !== '' && !path.includes('/')) throw errors.routeUnknown(request.method, request.path);
  const named = { path, product, component };
  const changes = { ...given, is_open: is_active ?? isactive ?? is_open };
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  const part = await changeComponent(services, timeout, caller, named, changes);
  return ok({
    id: part.id,
    name: part.name,
    description: part.description,
    default_assignee: part.default_assigned_to,
    default_qa_contact: part.default_qa_contact,
    default_cc: part.default_cc ?? [],
    sort_key: part.sort_key,
    is_active: part.is_active,
  });
};
