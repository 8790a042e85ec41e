import { bit, differences } from '../../lib/base/collections.ts';
import { isAllDigits, plainId } from '../../lib/base/ids.ts';
import { requireInteger } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireRight } from '../../lib/people/caller.ts';
import { RIGHTS } from '../../lib/people/rights.ts';
import { changeProducts, type NamedProduct, requireProducts } from '../../lib/products/change-products.ts';
import { productUpdate, responseName } from '../../lib/products/requests.ts';
import { type ProductItem, UPDATABLE_FIELDS } from '../../lib/products/schema.ts';
import type { ProductServices } from './services.ts';

/**
 * Updates the products of the path, `ids` and `names` in one transaction. Responds with the changes of each, in the order
 * of the request.
 */
export const updateProducts: Endpoint<ProductServices> = async (request, services) => {
  const { products, settings } = services;
  const caller = await request.caller;
  const user = requireRight(caller, RIGHTS.editComponents);
  const { ids, names, is_open, is_active, ...given } = parseKnownParameters(
    productUpdate,
    request.parameters,
  );
  const named = namedProducts(request, ids, names);
  const changes = await changeProducts(
    services,
    settings.DATABASE_RETRY_TIMEOUT_MS,
    user,
    () => requireProducts(products, named, caller),
    { ...given, is_active: is_open ?? is_active },
  );
  return ok({
    products: changes.map(({ before, after }) => ({
      id: after.id,
      changes: differences(shownFields(before), shownFields(after)),
    })),
  });
};

/** More cannot be updated in one transaction; naming one product several times is allowed. */
const MAX_NAMED = 1_000;

function namedProducts(
  request: BugzillaRequest,
  ids: readonly string[],
  names: readonly string[],
): NamedProduct[] {
  if (ids.length + names.length > MAX_NAMED) throw errors.requestTooLarge(`at most ${MAX_NAMED} products`);
  const inPath = request.pathParameter('id_or_name');
  const byId = (given: string): NamedProduct => {
    requireInteger('ids', given);
    // A number that is not a plain id, such as 01, names no product.
    return { given, id: plainId(given) ?? 0 };
  };
  const byName = (given: string): NamedProduct => ({ given, name: given });
  return [isAllDigits(inPath) ? byId(inPath) : byName(inPath), ...ids.map(byId), ...names.map(byName)];
}

/** The fields of which changes are reported. */
const shownFields = (product: ProductItem): Record<string, string> =>
  Object.fromEntries(
    UPDATABLE_FIELDS.map((field) => {
      const value = product[field] ?? '';
      return [responseName(field), typeof value === 'string' ? value : bit(value)];
    }),
  );
