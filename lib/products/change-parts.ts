import { trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type Caller, requireUser } from '../people/caller.ts';
import type { IdempotencyRecord, RecordFor } from '../table/idempotency.ts';
import { retryStale } from '../table/retry.ts';
import { type DesiredProduct, desiredOf, type ProductDocumentRepository } from './document-repository.ts';
import { type FoundPart, requireProduct } from './find-parts.ts';
import { type PartKind, partNamed } from './parts.ts';
import { requireAccessible, requireProductEditor } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import type { ProductWithParts, ReleaseItem } from './schema.ts';

/** Parts of each kind that a product has at most: they are read and written together. */
const MAX_PARTS = 5_000;

/** Where parts of products are written. */
export interface PartSources {
  products: ProductRepository;
  productDocuments: ProductDocumentRepository;
}

/** Attributes of a part that were checked; those that are absent or undefined stay. */
export type PartAttributes = Readonly<Record<string, unknown>>;

/**
 * Creates a part of a product.
 *
 * @param givenProduct its name
 * @param check checks the attributes, after the product
 * @returns the id
 */
export async function createPart<T extends ReleaseItem>(
  sources: PartSources,
  caller: Caller,
  kind: PartKind<T>,
  givenProduct: string,
  check: () => Promise<PartAttributes> | PartAttributes,
  recordFor: RecordFor,
): Promise<number> {
  if (trim(givenProduct) === '') throw errors.parameterMissing('product');
  const product = await requireProduct(sources.products, givenProduct, caller);
  const attributes = await check();
  const id = await sources.productDocuments.allocatePartId(kind.name);
  const part = kind.parse({ ...given(attributes), id });
  const about = { command: `rest add ${kind.name}`, record: recordFor(id) };
  await write(sources, caller, kind, { product, part }, about, () => part);
  return id;
}

/**
 * Changes a part of a product. Bugs refer to a component by its id, so they stay in it under another name; the names of versions
 * and milestones stand in bugs, so these are never given another one.
 *
 * @returns the part as it is then
 */
export const changePart = <T extends ReleaseItem>(
  sources: PartSources,
  caller: Caller,
  kind: PartKind<T>,
  found: FoundPart<T>,
  attributes: PartAttributes,
): Promise<T> =>
  write(sources, caller, kind, found, { command: `rest change ${kind.name}` }, (parts) => {
    const before = parts.find(({ id }) => id === found.part.id);
    if (before === undefined) throw errors.valueUnknown(kind.name, found.part.name);
    return kind.parse({ ...before, ...given(attributes) });
  });

const given = (attributes: PartAttributes): PartAttributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/**
 * Writes a product with a part that is new or changed, with optimistic locking and an entry of the audit log.
 *
 * @param found the product and the part as they were read
 * @param partOf computes the part from those of its kind
 */
async function write<T extends ReleaseItem>(
  { products, productDocuments }: PartSources,
  caller: Caller,
  kind: PartKind<T>,
  found: FoundPart<T>,
  { command, record }: { command: string; record?: IdempotencyRecord | undefined },
  partOf: (parts: readonly T[]) => T,
): Promise<T> {
  const { id, name } = found.product.product;
  const audit = { who: requireUser(caller).login, command };
  return retryStale('the product', async (attempt) => {
    const existing =
      attempt === 1 ? found.product : requireAccessible(await products.withParts(id), name, caller);
    requireProductEditor(caller, existing.product);
    const part = partOf(kind.partsOf(existing));
    await productDocuments.saveTogether([{ existing, desired: withPart(existing, kind, part) }], {
      ...{ record, audit },
    });
    return part;
  });
}

/** A product with a part that is new, or replaces that with its id. @throws BugzillaError where a rule is broken */
function withPart<T extends ReleaseItem>(
  existing: ProductWithParts,
  { name: kind, list, partsOf, taken }: PartKind<T>,
  part: T,
): DesiredProduct {
  const others = partsOf(existing).filter(({ id }) => id !== part.id);
  const before = partsOf(existing).find(({ id }) => id === part.id);
  if (part.name !== before?.name && partNamed(others, part.name) !== undefined) throw taken(part.name);
  if (others.length >= MAX_PARTS && before === undefined) {
    throw errors.requestTooLarge(`at most ${MAX_PARTS} ${list} of a product`);
  }
  const isDefault = kind === 'milestone' && part.name === existing.product.default_milestone;
  if (isDefault && !part.is_active) throw errors.parameterInvalid('is_active', 'it is the default milestone');
  const { product, ...parts } = { ...desiredOf(existing), [list]: [...others, part] };
  const active = {
    has_active_component: parts.components.some(({ is_active }) => is_active),
    has_active_version: parts.versions.some(({ is_active }) => is_active),
  };
  return { product: { ...product, ...active }, ...parts };
}
