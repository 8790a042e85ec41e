import { normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Caller, User } from '../people/caller.ts';
import { retryStale } from '../table/retry.ts';
import { requireAccessible } from './permissions.ts';
import { nameTaken, type ProductChange, type ProductWriter } from './product-writer.ts';
import type { ProductRepository } from './repository.ts';
import { type ProductItem, UPDATABLE_FIELDS, type UpdatableField } from './schema.ts';
import { checkProductDescription, checkProductName, checkTemplate } from './validation.ts';

/** New values as given; absent ones stay. */
type ProductUpdate = { [field in UpdatableField]?: ProductItem[field] | undefined };

/**
 * Makes the same update of all of some products, or of none. Optimistic locking: when one of them is changed between
 * reading and writing, the update is applied to the new state.
 *
 * @param user whose right to edit products was checked
 * @param read reads the products
 * @returns a change for each product, also where it has no effect
 * @throws RetriesExhausted
 */
export const changeProducts = (
  { products, productWriter }: { products: ProductRepository; productWriter: ProductWriter },
  retryTimeoutMs: number,
  user: User,
  read: () => Promise<ProductItem[]>,
  update: ProductUpdate,
): Promise<ProductChange[]> =>
  retryStale(retryTimeoutMs, 'the products', async () => {
    const changes = await applyUpdate(products, await read(), update);
    const differing = changes.filter((change) => changedFields(change).length > 0);
    if (differing.length > 0) await productWriter.update(user, differing);
    return changes;
  });

/** The fields in which a product differs after a change. */
const changedFields = ({ before, after }: ProductChange): UpdatableField[] =>
  UPDATABLE_FIELDS.filter((field) => before[field] !== after[field]);

async function applyUpdate(
  repository: ProductRepository,
  products: ProductItem[],
  update: ProductUpdate,
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

/** A product as a request names it. */
export type NamedProduct = { given: string; id: number } | { given: string; name: string };

/** The products that a request names, in its order, each once. */
export async function requireProducts(
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
    return requireAccessible(isMeant ? { product } : undefined, one.given, caller).product;
  });
  return [...new Set(found)];
}
