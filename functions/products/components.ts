import { errors } from '../../lib/errors.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changePart, createPart } from '../../lib/products/change-parts.ts';
import { checkComponent } from '../../lib/products/check-component.ts';
import { requireEditor, requirePart, requirePartOfPath } from '../../lib/products/find-parts.ts';
import { COMPONENTS } from '../../lib/products/parts.ts';
import { componentUpdate, newComponent } from '../../lib/products/requests.ts';
import type { AdministrationServices } from '../administration/services.ts';

/** Creates a component, and responds with its id. functions/administration/README.md 2. */
export const createComponent: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  const user = await requireEditor(services.products, caller);
  const { product, isactive, ...given } = parseKnownParameters(newComponent, request.parameters);
  const is_open = given.is_open ?? isactive ?? true;
  const check = async () => {
    const { default_cc = [], ...checked } = await checkComponent(services.users, { ...given, is_open });
    return { ...checked, default_cc: default_cc.length === 0 ? undefined : default_cc };
  };
  return services.idempotent(request, user, (recordFor) =>
    createPart(services, caller, COMPONENTS, product, check, recordFor),
  );
};

/** Changes the component of the path or the parameters, and responds with it. functions/administration/README.md 2. */
export const updateComponent: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  const { products, users } = services;
  await requireEditor(products, caller);
  const { product, component, is_active, isactive, is_open, ...given } = parseKnownParameters(
    componentUpdate,
    request.parameters,
  );
  const path = request.pathParameter('id_or_name');
  // As in Bugzilla, which has no component by its id.
  if (path !== '' && !path.includes('/')) throw errors.routeUnknown(request.method, request.path);
  const found =
    path === ''
      ? await requirePart(products, { product, name: component }, caller, COMPONENTS)
      : await requirePartOfPath(products, path, caller, COMPONENTS);
  const checked = await checkComponent(users, { ...given, is_open: is_active ?? isactive ?? is_open });
  const part = await changePart(services, caller, COMPONENTS, found, checked);
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
