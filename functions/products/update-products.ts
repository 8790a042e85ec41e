import type * as z from 'zod/mini';
import { retry } from '../../lib/dynamodb/retry.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits, plainId } from '../../lib/ids.ts';
import { requireAccessible } from '../../lib/products/permissions.ts';
import { nameTaken, type ProductChange, type ProductRepository } from '../../lib/products/repository.ts';
import type { ProductItem } from '../../lib/products/schema.ts';
import { checkProductDescription, checkProductName } from '../../lib/products/validation.ts';
import { normalizeName, trim } from '../../lib/text.ts';
import type { Caller } from '../../lib/users/caller.ts';
import { requireEditor } from '../../lib/users/permissions.ts';
import {
  productUpdate,
  responseName,
  UPDATABLE_FIELDS,
  UPDATE_PARAMETERS,
  type UpdatableField,
} from './schemas.ts';
import type { ProductServices } from './services.ts';

type Update = z.output<typeof productUpdate>;

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
  const update = parseParameters(productUpdate, request.parameters);
  const targets = readTargets(request, update);

  // Optimistic locking: when a product is changed between reading and writing, the update is applied to the new state.
  const changes = await retry(settings.DATABASE_RETRY_TIMEOUT_MS, async () => {
    const before = await readProducts(products, targets, caller);
    if (update.name !== undefined && before.length > 1) {
      throw errors.parameterInvalid('name', 'names are unique, so it can be set for one product only');
    }
    const changed = await applyUpdate(products, before, update);
    const differing = changed.filter((change) => Object.keys(changesOf(change)).length > 0);
    const stale = differing.length === 0 ? undefined : await products.update(user, differing);
    return stale === undefined
      ? { done: true, value: changed }
      : { done: false, reason: 'the products are changed by other requests', cause: stale };
  });
  return ok({ products: changes.map((change) => ({ id: change.after.id, changes: changesOf(change) })) });
};

function refuseUnknown(parameters: Parameters): void {
  for (const name of parameters.keys()) {
    if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
  }
}

/** A product of the request. */
type Target = { given: string; id: number } | { given: string; name: string };

/** More cannot be updated in one transaction; naming one product several times is allowed. */
const MAX_TARGETS = 1_000;

function readTargets(request: BugzillaRequest, { ids, names }: Update): Target[] {
  if (ids.length + names.length > MAX_TARGETS)
    throw errors.requestTooLarge(`at most ${MAX_TARGETS} products`);
  const inPath = request.pathParameter('id_or_name');
  const byId = (given: string): Target => {
    if (!isAllDigits(given)) throw errors.parameterNotInteger('ids', given);
    // A number that is not a plain id, such as 01, names no product.
    return { given, id: plainId(given) ?? 0 };
  };
  const byName = (given: string): Target => ({ given, name: given });
  return [isAllDigits(inPath) ? byId(inPath) : byName(inPath), ...ids.map(byId), ...names.map(byName)];
}

/** The products in the order of the request, each once. */
async function readProducts(
  repository: ProductRepository,
  targets: Target[],
  caller: Caller,
): Promise<ProductItem[]> {
  const names = targets.flatMap((target) => ('name' in target ? [target.name] : []));
  const idsByName = await repository.idsByName(names);
  const idOf = (target: Target) => ('id' in target ? target.id : idsByName.get(normalizeName(target.name)));
  const read = await repository.products(targets.flatMap((target) => idOf(target) ?? []));
  const byId = new Map(read.map((product) => [product.id, product]));
  const found = targets.map((target) => {
    const product = byId.get(idOf(target) ?? -1);
    // The product may have been renamed since the name was looked up.
    const isMeant =
      product !== undefined && ('id' in target || normalizeName(product.name) === normalizeName(target.name));
    return requireAccessible(isMeant ? { product } : undefined, target.given, caller).product;
  });
  return [...new Set(found)];
}

async function applyUpdate(
  repository: ProductRepository,
  products: ProductItem[],
  update: Update,
): Promise<ProductChange[]> {
  const name = update.name === undefined ? undefined : checkProductName(update.name);
  if (name !== undefined) await refuseTakenName(repository, name, products);
  const description =
    update.description === undefined ? undefined : checkProductDescription(update.description);
  const milestone = update.default_milestone === undefined ? undefined : trim(update.default_milestone);
  if (milestone !== undefined) await refuseUnknownMilestone(repository, milestone, products);
  const isActive = update.is_open ?? update.is_active;
  return products.map((before) => {
    const values = {
      name: name ?? before.name,
      description: description ?? before.description,
      default_milestone: milestone ?? before.default_milestone,
      has_unconfirmed: update.has_unconfirmed ?? before.has_unconfirmed,
      is_active: isActive ?? before.is_active,
    } satisfies Pick<ProductItem, UpdatableField>;
    return { before, after: { ...before, ...values } };
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

/** The changed values in the format of the response: booleans as '1' and '0'. */
function changesOf({ before, after }: ProductChange): Record<string, { added: string; removed: string }> {
  const changes = UPDATABLE_FIELDS.flatMap((field) => {
    const [removed, added] = [toText(before[field]), toText(after[field])];
    return added === removed ? [] : [[responseName(field), { added, removed }] as const];
  });
  return Object.fromEntries(changes);
}

const toText = (value: string | boolean) => (typeof value === 'string' ? value : value ? '1' : '0');
