import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import { type NewProduct, nameTaken } from '../../lib/products/repository.ts';
import {
  checkMilestoneName,
  checkProductDescription,
  checkProductName,
  checkVersionName,
  UNCLASSIFIED,
} from '../../lib/products/validation.ts';
import { trim } from '../../lib/text.ts';
import { requireEditor } from '../../lib/users/permissions.ts';
import { newProduct } from './schemas.ts';
import type { ProductServices } from './services.ts';

/**
 * Creates a product with one version, one milestone and no components, and responds with its id. The order of the checks
 * is Bugzilla's.
 *
 * @throws errors of 51 and 50 for the classification, 703 for the description, 700, 701 and 702 for the name, 704 for
 * the version, 53 for values that are too long or not strings
 */
export const createProduct: Endpoint<ProductServices> = async (request, services) => {
  const user = requireEditor(await request.caller);
  return services.idempotent(request, user, async (recordFor) => {
    const product = await readProduct(request.parameters, services);
    return services.products.create(user, product, recordFor);
  });
};

async function readProduct(
  parameters: Parameters,
  { products, settings }: ProductServices,
): Promise<NewProduct> {
  const { create_series: _, is_open, ...given } = parseParameters(newProduct, parameters);
  const classificationName = trim(given.classification ?? UNCLASSIFIED);
  const [classification, holder] = await Promise.all([
    given.classification === undefined ? UNCLASSIFIED : products.classification(classificationName),
    products.holderOf(trim(given.name ?? '')),
  ]);
  if (classificationName === '') throw errors.parameterMissing('classification');
  if (classification === undefined) throw errors.classificationUnknown(classificationName);
  const description = checkProductDescription(given.description ?? '');
  const name = checkProductName(given.name ?? '');
  if (holder !== undefined) throw nameTaken(name, holder);
  return {
    ...given,
    name,
    description,
    classification,
    is_active: is_open,
    version: checkVersionName(given.version ?? ''),
    default_milestone: checkMilestoneName(given.default_milestone ?? '', settings.DEFAULT_MILESTONE),
  };
}
