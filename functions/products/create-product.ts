import type * as z from 'zod/mini';
import { parseParameters } from '../../lib/base/parameters.ts';
import { trim } from '../../lib/base/text.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import type { NewProduct } from '../../lib/products/document-repository.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { newProduct } from '../../lib/products/requests.ts';
import {
  checkMilestoneName,
  checkProductDescription,
  checkProductName,
  checkTemplate,
  checkVersionName,
  nameTaken,
  UNCLASSIFIED,
} from '../../lib/products/validation.ts';
import type { ProductServices } from './services.ts';

/** Creates a product with one version, one milestone and no components, and responds with its id. */
export const createProduct: Endpoint<ProductServices> = async (request, services) => {
  const { products, productDocuments, settings } = services;
  const user = await request.user;
  return services.idempotent(request, user, async (recordFor) => {
    const { create_series: _, is_open, ...given } = parseParameters(newProduct, request.parameters);
    const requested = { ...given, is_active: is_open };
    const product = await checkNewProduct(requested, products, settings.DEFAULT_MILESTONE);
    return productDocuments.create(user, product, recordFor, products.holderOf);
  });
};

/** A product as it is requested. */
type GivenProduct = Omit<z.infer<typeof newProduct>, 'is_open' | 'create_series'> &
  Pick<NewProduct, 'is_active'>;

/**
 * Checks a product to be created, in Bugzilla's order.
 *
 * @param defaultMilestone of the deployment
 */
async function checkNewProduct(
  given: GivenProduct,
  products: ProductRepository,
  defaultMilestone: string,
): Promise<NewProduct> {
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
  const { description_template = '', ...others } = given;
  return {
    ...others,
    ...checkTemplate(description_template),
    name,
    description,
    classification,
    version: checkVersionName(given.version ?? ''),
    default_milestone: checkMilestoneName(given.default_milestone ?? '', defaultMilestone),
  };
}
