import { bit, differences } from '../../lib/base/collections.ts';
import { requireInteger } from '../../lib/base/parameters.ts';
import { isAllDigits, normalizeName, plainId, trim } from '../../lib/base/text.ts';
import { errors } from '../../lib/errors.ts';
import { type BugzillaRequest, parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Caller } from '../../lib/people/caller.ts';
import type { ProductChange } from '../../lib/products/document-repository.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { requireAccessible, requireProductEditor } from '../../lib/products/permissions.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { productUpdate } from '../../lib/products/requests.ts';
import {
  type ProductItem,
  responseName,
  UPDATABLE_FIELDS,
  type UpdatableField,
} from '../../lib/products/schema.ts';
import {
  checkProductDescription,
  checkProductName,
  checkTemplate,
  nameTaken,
} from '../../lib/products/validation.ts';
import { retryStale } from '../../lib/table/retry.ts';
import type { ProductServices } from './services.ts';

/**
 * Updates the products of the path, `ids` and `names` in one transaction. Responds with the changes of each, in the order
 * of the request.
 */
export const updateProducts: Endpoint<ProductServices> = async (request, services) => {
  const { products, productDocuments } = services;
  const caller = await request.caller;
  const user = await requireEditor(products, caller);
  const { ids, names, is_open, is_active, ...given } = parseKnownParameters(
    productUpdate,
    request.parameters,
  );
  const named = namedProducts(request, ids, names);
  const update = { ...given, is_active: is_open ?? is_active };
  // When one of them is changed between reading and writing, the update is applied to the new state.
  const changes = await retryStale('the products', async () => {
    const changes = await applyUpdate(products, await requireProducts(products, named, caller), update);
    const differing = changes.filter((change) => changedFields(change).length > 0);
    if (differing.length > 0) await productDocuments.update(user, differing);
    return changes;
  });
  return ok({
    products: changes.map(({ before, after }) => ({
      id: after.id,
      changes: differences(shownFields(before), shownFields(after)),
    })),
  });
};

/** A product as a request names it. */
type NamedProduct = { given: string; id: number } | { given: string; name: string };

/** More cannot be updated in one transaction; naming one product several times is allowed. */
const MAX_NAMED_PRODUCTS = 1_000;

function namedProducts(
  request: BugzillaRequest,
  ids: readonly string[],
  names: readonly string[],
): NamedProduct[] {
  if (ids.length + names.length > MAX_NAMED_PRODUCTS)
    throw errors.requestTooLarge(`at most ${MAX_NAMED_PRODUCTS} products`);
  const inPath = request.pathParameter('id_or_name');
  const byId = (given: string): NamedProduct => {
    requireInteger('ids', given);
    // A number that is not a plain id, such as 01, names no product.
    return { given, id: plainId(given) ?? 0 };
  };
  const byName = (given: string): NamedProduct => ({ given, name: given });
  return [isAllDigits(inPath) ? byId(inPath) : byName(inPath), ...ids.map(byId), ...names.map(byName)];
}

/** The products that a request names, in its order, each once. */
async function requireProducts(
  products: ProductRepository,
  named: readonly NamedProduct[],
  caller: Caller,
): Promise<ProductItem[]> {
  const names = named.flatMap((one) => ('name' in one ? [one.name] : []));
  const idsByName = await products.idsByName(names);
  const idOf = (one: NamedProduct) => ('id' in one ? one.id : idsByName.get(normalizeName(one.name)));
  const read = await products.products(named.flatMap((one) => idOf(one) ?? []));
  const byId = new Map(read.map((product) => [product.id, product]));
  const found = named.map((one) => {
    const product = byId.get(idOf(one) ?? -1);
    // The product may have been renamed since the name was looked up.
    const isMeant =
      product !== undefined && ('id' in one || normalizeName(product.name) === normalizeName(one.name));
    const { product: accessible } = requireAccessible(isMeant ? { product } : undefined, one.given, caller);
    requireProductEditor(caller, accessible);
    return accessible;
  });
  return [...new Set(found)];
}

/** @returns a change for each product, also where it has no effect */
async function applyUpdate(
  repository: ProductRepository,
  products: ProductItem[],
  update: { [field in UpdatableField]?: ProductItem[field] | undefined },
): Promise<ProductChange[]> {
  if (update.name !== undefined && products.length > 1) {
    throw errors.parameterInvalid('name', 'names are unique, so it can be set for one product only');
  }
  const name = update.name === undefined ? undefined : checkProductName(update.name);
  if (name !== undefined) await refuseTakenName(repository, name, products);
  const description =
    update.description === undefined ? undefined : checkProductDescription(update.description);
  const milestone = update.default_milestone === undefined ? undefined : trim(update.default_milestone);
  if (milestone !== undefined) await refuseUnknownMilestone(repository, milestone, products);
  const template =
    update.description_template === undefined ? undefined : checkTemplate(update.description_template);
  return products.map((before) => {
    const { description_template, ...others } = before;
    const kept = description_template === undefined ? {} : { description_template };
    const values = {
      name: name ?? before.name,
      description: description ?? before.description,
      default_milestone: milestone ?? before.default_milestone,
      has_unconfirmed: update.has_unconfirmed ?? before.has_unconfirmed,
      is_active: update.is_active ?? before.is_active,
      ...(template ?? kept),
    } satisfies Pick<ProductItem, UpdatableField>;
    return { before, after: { ...others, ...values } };
  });
}

async function refuseTakenName(
  repository: ProductRepository,
  name: string,
  products: ProductItem[],
): Promise<void> {
  if (products.some((product) => normalizeName(product.name) === normalizeName(name))) return;
  const holder = await repository.holderOf(name);
  // One of these products may have got the name since it was read: the transaction will fail.
  if (holder === undefined || products.some(({ id }) => id === holder.product_id)) return;
  throw nameTaken(name, holder);
}

async function refuseUnknownMilestone(
  repository: ProductRepository,
  milestone: string,
  products: ProductItem[],
): Promise<void> {
  for (const { product, milestones } of await repository.addParts(products)) {
    const isKnown = milestones.some(({ name }) => name === milestone);
    if (!isKnown) throw errors.milestoneUnknown(product.name, milestone);
  }
}

/** The fields in which a product differs after a change. */
const changedFields = ({ before, after }: ProductChange): UpdatableField[] =>
  UPDATABLE_FIELDS.filter((field) => before[field] !== after[field]);

/** The fields of which changes are reported. */
const shownFields = (product: ProductItem): Record<string, string> =>
  Object.fromEntries(
    UPDATABLE_FIELDS.map((field) => {
      const value = product[field] ?? '';
      return [responseName(field), typeof value === 'string' ? value : bit(value)];
    }),
  );
