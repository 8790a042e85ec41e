import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import type { IdempotencyActions } from '../../lib/http/idempotency.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import { nameTaken } from '../../lib/products/repository.ts';
import {
  checkMilestoneName,
  checkProductDescription,
  checkProductName,
  checkVersionName,
  UNCLASSIFIED,
} from '../../lib/products/validation.ts';
import type { ProductServices } from '../../lib/services.ts';
import { EDIT_COMPONENTS, requireGroup, requireUser } from '../../lib/users/caller.ts';
import { newProduct } from './schemas.ts';

/**
 * Makes a product with one version, one milestone and no components. The order of the checks is Bugzilla's.
 * SPEC.md 4.3, REFERENCE.md 4.
 *
 * @throws errors of 401 without the right, 51 and 50 for the classification, 703 for the description, 700, 701
 * and 702 for the name, 704 for the version, 53 for what is too long or no text
 */
export const createProduct: Endpoint<ProductServices> = async (request, services) => {
  const caller = await request.caller;
  requireGroup(caller, EDIT_COMPONENTS, 'create products');
  return services.once(request, requireUser(caller), (idempotencyActions) =>
    create(request.parameters, services, idempotencyActions),
  );
};

async function create(
  parameters: Parameters,
  { products, settings }: ProductServices,
  idempotencyActions: IdempotencyActions,
): Promise<number> {
  const given = parseParameters(newProduct, parameters);

  const classificationName = given.classification?.trim() ?? UNCLASSIFIED;
  const [classification, holder] = await Promise.all([
    given.classification === undefined ? UNCLASSIFIED : products.classification(classificationName),
    products.holderOf((given.name ?? '').trim()),
  ]);
  if (classificationName === '') throw errors.parameterMissing('classification');
  if (classification === undefined) throw errors.classificationUnknown(classificationName);
  const description = checkProductDescription(given.description ?? '');
  const name = checkProductName(given.name ?? '');
  if (holder !== undefined) throw nameTaken(name, holder);
  const version = checkVersionName(given.version ?? '');
  const milestone = checkMilestoneName(given.default_milestone ?? '', settings.DEFAULT_MILESTONE);

  const isActive = given.is_open ?? true;
  const hasUnconfirmed = given.has_unconfirmed ?? true;
  const made = { name, description, classification, isActive, hasUnconfirmed, version, milestone };
  return products.create(made, idempotencyActions);
}
