import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits, plainId } from '../../lib/ids.ts';
import { changedFields, changeProducts } from '../../lib/products/change-products.ts';
import { type NamedProduct, requireProducts } from '../../lib/products/find-products.ts';
import type { ProductChange } from '../../lib/products/repository.ts';
import { requireEditor } from '../../lib/users/permissions.ts';
import { productUpdate, responseName, UPDATE_PARAMETERS } from './schemas.ts';
import type { ProductServices } from './services.ts';

/**
 * Updates the products of the path, `ids` and `names` in one transaction. Responds with the changes of each, in the order
 * of the request.
 *
 * @throws errors of 53 for a field that cannot be changed or a name for several products, 52 for ids, 106 for products
 * that the caller cannot access, 700 to 703 and 705 for values
 */
export const updateProducts: Endpoint<ProductServices> = async (request, { products, settings }) => {
  const caller = await request.caller;
  const user = requireEditor(caller);
  refuseUnknown(request.parameters);
  const { ids, names, is_open, is_active, ...given } = parseParameters(productUpdate, request.parameters);
  const named = namedProducts(request, ids, names);
  const changes = await changeProducts(
    products,
    settings.DATABASE_RETRY_TIMEOUT_MS,
    user,
    () => requireProducts(products, named, caller),
    { ...given, is_active: is_open ?? is_active },
  );
  return ok({ products: changes.map((change) => ({ id: change.after.id, changes: changesOf(change) })) });
};

function refuseUnknown(parameters: Parameters): void {
  for (const name of parameters.keys()) {
    if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
  }
}

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
    if (!isAllDigits(given)) throw errors.parameterNotInteger('ids', given);
    // A number that is not a plain id, such as 01, names no product.
    return { given, id: plainId(given) ?? 0 };
  };
  const byName = (given: string): NamedProduct => ({ given, name: given });
  return [isAllDigits(inPath) ? byId(inPath) : byName(inPath), ...ids.map(byId), ...names.map(byName)];
}

/** The changed values in the format of the response: booleans as '1' and '0'. */
function changesOf(change: ProductChange): Record<string, { added: string; removed: string }> {
  const changes = changedFields(change).map((field) => {
    const [removed, added] = [toText(change.before[field]), toText(change.after[field])];
    return [responseName(field), { added, removed }] as const;
  });
  return Object.fromEntries(changes);
}

const toText = (value: string | boolean) => (typeof value === 'string' ? value : value ? '1' : '0');
