import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { findClassifications } from '../../lib/products/find-classifications.ts';
import { classificationQuery } from '../../lib/products/requests.ts';
import type { AdministrationServices } from '../administration/services.ts';
import { namedBy } from '../named.ts';

/**
 * Responds with the classifications of the path, `ids` and `names`, with the products that the caller may select.
 * functions/administration/README.md 5.
 */
export const getClassifications: Endpoint<AdministrationServices> = async (request, { products }) => {
  const { ids, names } = parseParameters(classificationQuery, request.parameters);
  const fields = readFieldSelection(request.parameters);
  const found = await findClassifications(products, namedBy(request, ids, names), await request.caller);
  const classifications = found.map(({ products: shown, ...classification }) =>
    fields.pick({
      ...classification,
      sort_key: 0,
      products: shown.map((product) => fields.within('products').pick(product)),
    }),
  );
  return ok({ classifications });
};
