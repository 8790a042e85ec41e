import { bytes, normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import { auditAction } from '../people/audit/repository.ts';
import type { User } from '../people/caller.ts';
import type { Table } from '../table/client.ts';
import { allocateIds } from '../table/counters.ts';
import { ConditionFailed } from '../table/errors.ts';
import { idempotencyActions, type RecordFor } from '../table/idempotency.ts';
import { productKey, productNameKey } from '../table/keys.ts';
import {
  ABSENT,
  type Action,
  differingAttributes,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  setAction,
  transactWrite,
  transactWriteRetrying,
} from '../table/write.ts';
import { productAuditChanges } from './audit.ts';
import { toDocument } from './document.ts';
import { type ProductRepository, productIndexActions } from './repository.ts';
import type { ProductContent, ProductItem, ProductNameItem, ReleaseItem } from './schema.ts';

/** A product to be created, with the names of its version and milestone. */
export interface NewProduct extends Omit<ProductContent, 'id'> {
  version: string;
}

/** A product before and after a change. */
export interface ProductChange {
  before: ProductItem;
  after: ProductItem;
}

/** Creates products, and changes their own fields; each request with an entry of the audit log. */
export function productWriter(table: Table, products: Pick<ProductRepository, 'holderOf'>, now = table.now) {
  return {
    /**
     * Creates a product with one version and one milestone, and an entry of the audit log.
     *
     * @param user whose right to edit products was checked
     * @param recordFor the idempotency record of the request
     * @returns the id of the product
     * @throws ConditionFailed
     */
    async create(user: User, { version, ...given }: NewProduct, recordFor: RecordFor): Promise<number> {
      const [id, versionId, milestoneId] = await Promise.all([
        allocateIds(table, 'product'),
        allocateIds(table, 'version'),
        allocateIds(table, 'milestone'),
      ]);
      const parts = {
        components: [],
        flagTypes: [],
        milestones: [firstRelease(milestoneId, given.default_milestone)],
        versions: [firstRelease(versionId, version)],
      };
      const active = { has_active_component: false, has_active_version: true };
      const { product } = toDocument({ ...given, id, ...active, group_controls: [], revision: 1 }, parts);
      const changes = productAuditChanges(undefined, { product, ...parts });
      const actions: Action[] = [
        ...productActions(undefined, product),
        ...productIndexActions([{ before: undefined, after: product }], now()),
        ...idempotencyActions(recordFor(id), now()),
        auditAction(table, { who: user.login, command: 'rest add product', changes }),
      ];
      try {
        await transactWriteRetrying(table, actions);
        return id;
      } catch (error) {
        if (!(error instanceof ConditionFailed && error.indices.has(0))) throw error;
        throw nameTaken(given.name, await products.holderOf(given.name));
      }
    },

    /**
     * Makes all of these changes, or none, with an entry of the audit log.
     *
     * @param user whose right to edit products was checked
     * @throws StaleWrite
     */
    async update(user: User, given: ProductChange[]): Promise<void> {
      const changes = given.map(({ before, after }) => ({
        before,
        after: { ...after, revision: before.revision + 1 },
      }));
      const audited = changes.flatMap(({ before, after }) =>
        productAuditChanges({ product: before }, { product: after }),
      );
      const actions = [
        ...changes.flatMap(({ before, after }) => productActions(before, after)),
        ...productIndexActions(changes, now()),
        auditAction(table, { who: user.login, command: 'rest change product', changes: audited }),
      ];
      const size = changes.reduce(
        (sum, { after }) =>
          sum +
          bytes(after.description) +
          bytes(after.description_template ?? '') +
          bytes(after.parts) +
          PRODUCT_OVERHEAD_BYTES,
        0,
      );
      if (actions.length > MAX_TRANSACTION_ACTIONS || size > MAX_TRANSACTION_BYTES) {
        throw errors.requestTooLarge(`at most ${MAX_TRANSACTION_ACTIONS} changes, 3.5 MB in all`);
      }
      await transactWrite(table, actions);
    },
  };
}

/** Bytes of a product without the description and the parts. */
const PRODUCT_OVERHEAD_BYTES = 2_000;

/** The error for a name that a product has already. functions/README.md 4 (702). */
export function nameTaken(name: string, holder: ProductNameItem | undefined) {
  return holder === undefined || holder.name === name
    ? errors.productNameTaken(name)
    : errors.productNameDiffersInCase(name);
}

function firstRelease(id: number, name: string): ReleaseItem {
  return { id, name, sort_key: 0, is_active: true };
}

/**
 * The transaction actions that write the item of a product, on the condition that it is as it was read, and before it its
 * name pointer, where the name changes: its condition fails when another product has the name.
 *
 * @param before undefined: it is new
 */
export function productActions(before: ProductItem | undefined, after: ProductItem): Action[] {
  const key = productKey(after.id);
  if (before === undefined) return [putName(after), { put: { ...key, ...after }, condition: ABSENT }];
  const write = setAction(key, differingAttributes(before, after), {
    condition: 'revision = :read',
    values: { ':read': before.revision },
  });
  if (before.name === after.name) return [write];
  const isSameName = normalizeName(before.name) === normalizeName(after.name);
  return [putName(after), ...(isSameName ? [] : [{ remove: productNameKey(before.name) }]), write];
}

const putName = ({ id, name }: ProductItem): Action => ({
  put: { ...productNameKey(name), product_id: id, name },
  condition: 'attribute_not_exists(pk) OR product_id = :id',
  values: { ':id': id },
});
