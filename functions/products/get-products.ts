import { type FieldSelection, readFieldSelection } from '../../lib/base/field-selection.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import { isAllDigits, normalizeName, plainId } from '../../lib/base/text.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Caller } from '../../lib/people/caller.ts';
import { isOfType, isProductType, type ProductType } from '../../lib/products/permissions.ts';
import { PRODUCT_FIELDS, presentIndexEntry, presentProduct } from '../../lib/products/presenter.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { productQuery } from '../../lib/products/requests.ts';
import { INDEX_FIELDS, type ProductIndexEntry, productIndexEntry } from '../../lib/products/schema.ts';
import { prefetch } from '../../lib/table/read.ts';
import type { ProductServices } from './services.ts';

type View = Record<string, unknown>;

/**
 * Responds with the products that the path, `ids`, `names` and `type` select, ordered by id; without any of them with all
 * accessible ones. Products that the caller may not see are omitted.
 */
export const getProducts: Endpoint<ProductServices> = async (request, { products }) => {
  const fields = readFieldSelection(request.parameters);
  const query = parseParameters(productQuery, request.parameters);
  const inPath = request.pathParameter('id_or_name');
  const types = query.type.filter(isProductType);
  const unknownType = query.type.find((type) => !isProductType(type));
  if (unknownType !== undefined) throw errors.productTypeUnknown(unknownType);

  const isSelection = inPath !== '' || request.parameters.has('ids') || request.parameters.has('names');
  const filter = { caller: request.caller, types: types.length > 0 ? types : ACCESSIBLE };
  if (!isSelection) return ok({ products: prefetch(allProducts(products, filter, fields)) });
  const ids = isAllDigits(inPath) ? [inPath, ...query.ids] : query.ids;
  const names = isAllDigits(inPath) ? query.names : [inPath, ...query.names];
  return ok({ products: prefetch(selectedProducts(products, { ids, names }, filter, fields)) });
};

const ACCESSIBLE: ProductType[] = ['accessible'];

/** Selects products of any of these types that the caller may see. */
interface Filter {
  caller: Promise<Caller>;
  types: ProductType[];
  /** whether a product that was looked up is still one of those requested; absent: always */
  isRequested?: (product: ProductIndexEntry) => boolean;
}

const isSelected = (product: ProductIndexEntry, types: ProductType[], caller: Caller) =>
  types.some((type) => isOfType(product, type, caller));

async function* allProducts(
  products: ProductRepository,
  filter: Filter,
  fields: FieldSelection,
): AsyncGenerator<View[]> {
  const pages = prefetch(products.index());
  const caller = await filter.caller;
  for await (const page of pages) {
    const visible = page.filter((product) => isSelected(product, filter.types, caller));
    if (isIndexEnough(fields)) {
      yield visible.map((product) => presentIndexEntry(product, fields));
    } else if (visible.length > 0) {
      const ids = visible.map(({ id }) => id);
      yield* readInBatches(products, ids, filter, fields);
    }
  }
}

async function* selectedProducts(
  products: ProductRepository,
  selected: { ids: string[]; names: string[] },
  filter: Filter,
  fields: FieldSelection,
): AsyncGenerator<View[]> {
  const ids = new Set(selected.ids.flatMap((id) => plainId(id) ?? []));
  const names = new Set(selected.names.map(normalizeName));
  const idsByName = await products.idsByName(selected.names);
  const all = [...ids.union(new Set(idsByName.values()))].sort(ascending);
  // A product may have been renamed since the name was looked up.
  const isRequested = ({ id, name }: ProductIndexEntry) => ids.has(id) || names.has(normalizeName(name));
  yield* readInBatches(products, all, { ...filter, isRequested }, fields);
}

const ascending = (a: number, b: number) => a - b;

/** A product with its index entry, which decides whether the caller may see it. */
interface Found {
  access: ProductIndexEntry;
  view: View;
}

/** The limit of BatchGetItem. */
const BATCH_SIZE = 100;

/** Reads products in batches, the first of them while the caller is authenticated. */
async function* readInBatches(
  products: ProductRepository,
  ids: number[],
  { caller: authentication, types, isRequested = () => true }: Filter,
  fields: FieldSelection,
): AsyncGenerator<View[]> {
  for (let at = 0; at === 0 || at < ids.length; at += BATCH_SIZE) {
    const batch = ids.slice(at, at + BATCH_SIZE);
    const [caller, found] = await Promise.all([authentication, readBatch(products, batch, fields)]);
    const isWanted = ({ access }: Found) => isRequested(access) && isSelected(access, types, caller);
    yield found.filter(isWanted).map(({ view }) => view);
  }
}

/** Reads what the selected fields need: index entries, products, or products with parts. */
async function readBatch(
  products: ProductRepository,
  ids: number[],
  fields: FieldSelection,
): Promise<Found[]> {
  if (isIndexEnough(fields)) {
    const entries = await products.indexEntries(ids);
    return entries
      .sort((a, b) => ascending(a.id, b.id))
      .map((access) => ({ access, view: presentIndexEntry(access, fields) }));
  }
  const found = await products.allWithParts(ids);
  return found.map((one) => ({ access: productIndexEntry(one.product), view: presentProduct(one, fields) }));
}

/** Whether the product index has every selected field. */
const isIndexEnough = (fields: FieldSelection) =>
  PRODUCT_FIELDS.every((field) => INDEX_FIELDS.has(field) || !fields.has(field));
