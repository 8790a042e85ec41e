import type * as z from 'zod/mini';
import { trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { NewProduct } from './document-repository.ts';
import type { ProductRepository } from './repository.ts';
import type { newProduct } from './requests.ts';
import {
  checkMilestoneName,
  checkProductDescription,
  checkProductName,
  checkTemplate,
  checkVersionName,
  nameTaken,
  UNCLASSIFIED,
} from './validation.ts';

/** A product as it is requested. */
type GivenProduct = Omit<z.infer<typeof newProduct>, 'is_open' | 'create_series'> &
  Pick<NewProduct, 'is_active'>;

/**
 * Checks a product to be created, in Bugzilla's order.
 *
 * @param defaultMilestone of the deployment
 */
export async function checkNewProduct(
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
