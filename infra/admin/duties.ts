import { normalizeName } from '../../lib/base/text.ts';
import type { AuditChange } from '../../lib/people/audit/repository.ts';
import { productAuditChanges } from '../../lib/products/audit.ts';
import {
  type DesiredProduct,
  desiredOf,
  productDocumentRepository,
} from '../../lib/products/document-repository.ts';
import { type Duty, dutiesIn } from '../../lib/products/duties.ts';
import { everyProduct, productRepository } from '../../lib/products/repository.ts';
import type { ComponentItem, FlagTypeItem, ProductWithParts } from '../../lib/products/schema.ts';
import type { Context } from './context.ts';

/** What a user does in the components and for the flag types of all products. */
export async function dutiesOf({ table }: Pick<Context, 'table'>, login: string): Promise<Duty[]> {
  const duties: Duty[] = [];
  for await (const product of everyProduct(productRepository(table)))
    duties.push(...dutiesIn(product, login));
  return duties;
}

/**
 * Gives what a user does in components and for flag types to another one, product by product.
 *
 * @param changes gets what the audit log has of it
 * @returns what was handed over
 * @throws ConditionFailed where a product was changed meanwhile: those before it have been changed
 */
export async function handOver(
  { table }: Pick<Context, 'table'>,
  from: string,
  to: string,
  changes: AuditChange[],
): Promise<Duty[]> {
  const documents = productDocumentRepository(table);
  const handed: Duty[] = [];
  for await (const existing of everyProduct(productRepository(table))) {
    const duties = dutiesIn(existing, from);
    if (duties.length === 0) continue;
    const desired = replaced(existing, from, to);
    await documents.saveTogether([{ existing, desired }]);
    changes.push(...productAuditChanges(existing, desired));
    handed.push(...duties);
  }
  return handed;
}

/** A product with another user wherever it has this one. */
function replaced(existing: ProductWithParts, from: string, to: string): DesiredProduct {
  const other = (login: string): string => (normalizeName(login) === normalizeName(from) ? to : login);
  const others = (logins: readonly string[]): string[] => [
    ...new Map(logins.map(other).map((login) => [normalizeName(login), login])).values(),
  ];
  const { components, flagTypes, ...rest } = desiredOf(existing);
  return {
    ...rest,
    components: components.map(
      (one): ComponentItem => ({
        ...one,
        default_assigned_to: other(one.default_assigned_to),
        default_qa_contact: other(one.default_qa_contact),
        ...(one.default_cc && { default_cc: others(one.default_cc) }),
      }),
    ),
    flagTypes: flagTypes.map((one): FlagTypeItem => ({ ...one, cc_list: others(one.cc_list) })),
  };
}

/** A line for each. */
export const dutyLines = (duties: readonly Duty[]): string[] =>
  duties.map(({ product, component, flag_type, as }) => `  ${as}  ${product}  ${component ?? flag_type}`);
