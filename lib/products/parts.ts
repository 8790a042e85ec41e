import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type Caller, requireUser } from '../people/caller.ts';
import type { IdempotencyRecord } from '../table/idempotency.ts';
import { retryStale } from '../table/retry.ts';
import type { DesiredProduct, ProductDocumentRepository } from './document-repository.ts';
import { requireAccessible, requireProductEditor } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import type { ProductWithParts, ReleaseItem } from './schema.ts';

/** What versions and milestones have in common, by what they are. */
export const RELEASES = { version: 'versions', milestone: 'milestones' } as const;
export type ReleaseKind = keyof typeof RELEASES;

/** Parts of each kind that a product has at most: they are read and written together. */
const MAX_PARTS = 5_000;

/** Where parts of products are written. */
export interface PartSources {
  products: ProductRepository;
  productDocuments: ProductDocumentRepository;
}

/** A product as it should be, and the part that was added or changed. */
interface PartChange<T> {
  desired: DesiredProduct;
  part: T;
}

/** Parts with one that is new, or replaces that with its id. */
export const withPart = <T extends { id: number }>(parts: readonly T[], part: T): T[] => [
  ...parts.filter(({ id }) => id !== part.id),
  part,
];

/** A product with what follows from its parts: whether it has active ones, so that it takes bugs. */
function withActiveParts({ product, ...parts }: DesiredProduct): DesiredProduct {
  const active = {
    has_active_component: parts.components.some(({ is_active }) => is_active),
    has_active_version: parts.versions.some(({ is_active }) => is_active),
  };
  return { product: { ...product, ...active }, ...parts };
}

/** The part that has a name, in any case; none: undefined. */
export const partNamed = <T extends { name: string }>(parts: readonly T[], name: string): T | undefined =>
  parts.find((part) => normalizeName(part.name) === normalizeName(name));

/** Whether new bugs of a product get this milestone: it cannot be closed. */
export const isDefaultMilestone = (
  { product }: Pick<ProductWithParts, 'product'>,
  kind: ReleaseKind,
  { name }: Pick<ReleaseItem, 'name'>,
): boolean => kind === 'milestone' && name === product.default_milestone;

/** Computes a product with a part that is new or changed. @throws BugzillaError where a rule is broken */
export type ChangePart<T> = (existing: ProductWithParts) => PartChange<T>;

/**
 * Writes a product with a part that is new or changed, with optimistic locking.
 *
 * @param first the product as it was read
 * @param readAgain reads it after a conflict
 * @param about what is written with it
 * @returns the part
 */
export function savePart<T>(
  productDocuments: Pick<ProductDocumentRepository, 'saveTogether'>,
  retryTimeoutMs: number,
  { first, readAgain }: { first: ProductWithParts; readAgain: () => Promise<ProductWithParts> },
  change: ChangePart<T>,
  about: Parameters<ProductDocumentRepository['saveTogether']>[1] = {},
): Promise<T> {
  return retryStale(retryTimeoutMs, 'the product', async (attempt) => {
    const existing = attempt === 1 ? first : await readAgain();
    const { desired, part } = change(existing);
    refuseTooMany(existing, desired);
    await productDocuments.saveTogether([{ existing, desired: withActiveParts(desired) }], about);
    return part;
  });
}

/**
 * Writes it for a caller who may edit the product, with an entry of the audit log.
 *
 * @param first the product as it was read
 * @param change computes it from the present state
 * @returns the part
 */
export function writePart<T>(
  { products, productDocuments }: PartSources,
  retryTimeoutMs: number,
  caller: Caller,
  {
    first,
    command,
    record,
  }: { first: ProductWithParts; command: string; record?: IdempotencyRecord | undefined },
  change: ChangePart<T>,
): Promise<T> {
  const { id, name } = first.product;
  const audit = { who: requireUser(caller).login, command };
  const readAgain = async () => requireAccessible(await products.withParts(id), name, caller);
  const permitted: ChangePart<T> = (existing) => {
    requireProductEditor(caller, existing.product);
    return change(existing);
  };
  return savePart(productDocuments, retryTimeoutMs, { first, readAgain }, permitted, { record, audit });
}

function refuseTooMany(existing: ProductWithParts, desired: DesiredProduct): void {
  for (const kind of ['components', 'versions', 'milestones'] as const) {
    const { length } = desired[kind];
    if (length > MAX_PARTS && length > existing[kind].length) {
      throw errors.requestTooLarge(`at most ${MAX_PARTS} ${kind} of a product`);
    }
  }
}
