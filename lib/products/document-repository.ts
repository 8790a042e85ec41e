import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { portions } from '../base/collections.ts';
import { bytes } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type AuditChange, auditAction } from '../people/audit/repository.ts';
import type { User } from '../people/caller.ts';
import type { Table } from '../table/client.ts';
import { allocateIds } from '../table/counters.ts';
import { ConditionFailed } from '../table/errors.ts';
import {
  DuplicateRequest,
  type IdempotencyRecord,
  idempotencyActions,
  type RecordFor,
} from '../table/idempotency.ts';
import {
  type Action,
  batchWrite,
  deleteItem,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  transactWriteRetrying,
} from '../table/write.ts';
import { type ProductAudit, productAuditChanges } from './audit.ts';
import { furtherKeys, type ProductDocument, productActions, toDocument } from './document.ts';
import { type ProductRepository, productIndexActions } from './repository.ts';
import {
  type ProductContent,
  type ProductItem,
  type ProductParts,
  type ProductWithParts,
  productItem,
  type ReleaseItem,
} from './schema.ts';
import { nameTaken } from './validation.ts';

/** The fields of a product but for those that follow from its storage. */
export const desiredFields = z.omit(productItem, { revision: true, parts: true, further_parts: true });

/** A product as it should be; the repository adds what follows from its storage. */
export interface DesiredProduct extends ProductParts {
  product: z.infer<typeof desiredFields>;
}

/** A product to be written. */
export interface ProductSave {
  /** as it was read; undefined: a new product */
  existing: ProductWithParts | undefined;
  desired: DesiredProduct;
}

/** A product to be created, with the names of its version and milestone. */
export interface NewProduct extends Omit<ProductContent, 'id'> {
  version: string;
}

/** A product before and after a change of its own fields. */
export interface ProductChange {
  before: ProductItem;
  after: ProductItem;
}

/** A product that differs from what is stored. */
interface ChangedProduct extends ProductDocument {
  existing: ProductItem | undefined;
  /** what the audit log has of it */
  audited: () => AuditChange[];
}

/** What is written with the products of a request. */
export interface SaveOptions {
  /** of the request, stored with the first of them */
  record?: IdempotencyRecord | undefined;
  /** of a request over REST: each transaction has an entry of the audit log */
  audit?: ProductAudit;
  /** called when a transaction was written: an error then does not mean that nothing was */
  onWritten?: () => void;
}

/** For the version of the index, an idempotency record, and an entry of the audit log. */
const SHARED_ACTIONS = 3;

export type ProductDocumentRepository = ReturnType<typeof productDocumentRepository>;

/** Writes products: for the catalogue, and for requests that create or change them or their parts. */
export function productDocumentRepository(table: Table) {
  /** Removes further items that no product refers to any more. */
  async function removeParts(product: ProductItem): Promise<void> {
    for (const key of furtherKeys(product)) await deleteItem(table, key);
  }

  /** Writes products in one transaction. */
  async function write(
    products: readonly ChangedProduct[],
    recorded: Action[] = [],
    { audit, onWritten = () => {} }: SaveOptions = {},
  ): Promise<void> {
    const changes = products.map(({ existing, product }) => ({ before: existing, after: product }));
    const actions = [
      ...recorded,
      ...products.flatMap(productActions),
      ...productIndexActions(changes, table.now()),
      ...(audit === undefined
        ? []
        : [auditAction(table, { ...audit, changes: products.flatMap(({ audited }) => audited()) })]),
    ];
    if (actions.length > MAX_TRANSACTION_ACTIONS) throw tooLarge();
    await transactWriteRetrying(table, actions);
    onWritten();
    for (const { existing, product } of products) {
      const isReplaced = existing?.further_parts.token !== product.further_parts.token;
      if (existing !== undefined && isReplaced) await removeParts(existing);
    }
  }

  /** The same, or one by one when it fails, so that the error is that of its product. */
  async function writeOrDivide(products: readonly ChangedProduct[]): Promise<void> {
    try {
      await write(products);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const [only, ...others] = products;
      if (only === undefined || others.length > 0) {
        for (const product of products) await writeOrDivide([product]);
        return;
      }
      await removeParts(only.product);
      throw error;
    }
  }

  /** Writes the further items of the products that differ from what is stored; no request reads them before the product. */
  async function prepare(saves: readonly ProductSave[]): Promise<(ChangedProduct | undefined)[]> {
    const documents = saves.map(changedProduct);
    await batchWrite(
      table,
      documents.flatMap((one) => one?.furtherItems ?? []),
    );
    return documents;
  }

  return {
    /**
     * Writes products with their parts, many in each transaction.
     *
     * @returns of each whether there was anything to write
     * @throws ConditionFailed when a product was changed, or its name taken, meanwhile; others may be written
     */
    async save(saves: readonly ProductSave[]): Promise<boolean[]> {
      const documents = await prepare(saves);
      for (const products of transactionsOf(documents)) await writeOrDivide(products);
      return documents.map((one) => one !== undefined);
    },

    /**
     * Writes existing products with their parts: up to 49 in one transaction, more in several.
     *
     * @throws ConditionFailed when a product was changed meanwhile, DuplicateRequest
     */
    async saveTogether(saves: readonly ProductSave[], options: SaveOptions = {}): Promise<void> {
      const documents = await prepare(saves);
      let recorded = idempotencyActions(options.record, table.now());
      const transactions = [...transactionsOf(documents)];
      for (const [index, products] of transactions.entries()) {
        try {
          await write(products, recorded, options);
          recorded = [];
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
          for (const { product } of transactions.slice(index).flat()) await removeParts(product);
          const isDuplicate = [...error.indices].some((index) => index < recorded.length);
          throw isDuplicate ? new DuplicateRequest('The request repeats an earlier one') : error;
        }
      }
    },

    /**
     * Creates a product with one version and one milestone, and an entry of the audit log.
     *
     * @param user whose right to edit products was checked
     * @param recordFor the idempotency record of the request
     * @param holderOf reads who has a name
     * @returns the id of the product
     */
    async create(
      user: User,
      { version, ...given }: NewProduct,
      recordFor: RecordFor,
      holderOf: ProductRepository['holderOf'],
    ): Promise<number> {
      const [id, versionId, milestoneId] = await Promise.all([
        allocateIds(table, 'product'),
        allocateIds(table, 'version'),
        allocateIds(table, 'milestone'),
      ]);
      const active = { has_active_component: false, has_active_version: true };
      const desired = {
        product: { ...given, id, ...active, group_controls: [] },
        ...{ components: [], flagTypes: [] },
        milestones: [firstRelease(milestoneId, given.default_milestone)],
        versions: [firstRelease(versionId, version)],
      };
      const audit = { who: user.login, command: 'rest add product' };
      try {
        await this.saveTogether([{ existing: undefined, desired }], { record: recordFor(id), audit });
        return id;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        throw nameTaken(given.name, await holderOf(given.name));
      }
    },

    /**
     * Makes all of these changes, or none, with an entry of the audit log.
     *
     * @param user whose right to edit products was checked
     * @throws ConditionFailed when a product was changed, or its name taken, meanwhile
     */
    async update({ login }: User, changes: readonly ProductChange[]): Promise<void> {
      const products = changes.map(({ before, after }) => ({
        ...{ existing: before, product: { ...after, revision: before.revision + 1 }, furtherItems: [] },
        audited: () => productAuditChanges({ product: before }, { product: after }),
      }));
      const size = products.reduce((sum, { product }) => sum + bytes(JSON.stringify(product)), 0);
      if (size > MAX_TRANSACTION_BYTES) throw tooLarge();
      await write(products, [], { audit: { who: login, command: 'rest change product' } });
    },

    /** An id for a new part of this kind. */
    allocatePartId: (kind: 'component' | 'version' | 'milestone' | 'flagtype'): Promise<number> =>
      allocateIds(table, kind),
  };
}

/** Products that differ from what is stored, as they fit transactions, with room for an idempotency record. */
const transactionsOf = (documents: readonly (ChangedProduct | undefined)[]): Generator<ChangedProduct[]> =>
  portions(
    documents.filter((one) => one !== undefined),
    { max: MAX_TRANSACTION_ACTIONS - SHARED_ACTIONS, sizeOf: (one) => productActions(one).length + 1 },
    { max: MAX_TRANSACTION_BYTES, sizeOf: ({ product }) => bytes(JSON.stringify(product)) },
  );

/** The items of a product; undefined when they are stored already. */
function changedProduct({ existing, desired }: ProductSave): ChangedProduct | undefined {
  const { product: fields, ...desiredParts } = desired;
  const parts = sorted(desiredParts);
  const isUnchanged =
    existing !== undefined && isDeepStrictEqual(desiredOf(existing), { product: fields, ...parts });
  if (isUnchanged) return undefined;
  const revision = (existing?.product.revision ?? 0) + 1;
  const audited = () => productAuditChanges(existing, desired);
  return { ...toDocument({ ...fields, revision }, parts), existing: existing?.product, audited };
}

const tooLarge = () => errors.requestTooLarge(`at most ${MAX_TRANSACTION_ACTIONS} changes, 3.5 MB in all`);

const firstRelease = (id: number, name: string): ReleaseItem => ({
  ...{ id, name, sort_key: 0, is_active: true },
});

/** Equal products have their parts in the same order. */
function sorted({ components, flagTypes, milestones, versions }: ProductParts): ProductParts {
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  return {
    components: components.toSorted(byId),
    flagTypes: flagTypes.toSorted(byId),
    milestones: milestones.toSorted(byId),
    versions: versions.toSorted(byId),
  };
}

/** A product as it is stored, without what follows from its storage. */
export function desiredOf({ product, ...parts }: ProductWithParts): DesiredProduct {
  const { revision: _, parts: __, further_parts: ___, ...fields } = product;
  return { product: fields, ...sorted(parts) };
}
