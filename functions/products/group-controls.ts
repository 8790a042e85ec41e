import { isAllDigits } from '../../lib/base/text.ts';
import { changeGroupControls, requireEditableProduct } from '../../lib/bugs/store/change-group-controls.ts';
import { type BugzillaRequest, parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { groupControlsUpdate } from '../../lib/products/requests.ts';
import type { ProductItem } from '../../lib/products/schema.ts';
import type { AdministrationServices } from '../administration/services.ts';

const namedIn = (request: BugzillaRequest) => {
  const given = request.pathParameter('id_or_name');
  return { given, byId: isAllDigits(given) };
};

const shown = ({ id, name, group_controls }: ProductItem) => ok({ id, name, group_controls });

/** Responds with the group controls of a product. functions/administration/README.md 9. */
export const getGroupControls: Endpoint<AdministrationServices> = async (request, { products }) => {
  const caller = await request.caller;
  await requireEditor(products, caller);
  const { product } = await requireEditableProduct(products, namedIn(request), caller);
  return shown(product);
};

/** Changes group controls of a product, and responds with all of them. functions/administration/README.md 9. */
export const updateGroupControls: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  await requireEditor(services.products, caller);
  const { group_controls } = parseKnownParameters(groupControlsUpdate, request.parameters);
  return shown(await changeGroupControls(services, caller, namedIn(request), group_controls));
};
