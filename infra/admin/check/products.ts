import { mapConcurrent } from '../../../lib/base/collections.ts';
import { normalizeName } from '../../../lib/base/text.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { furtherKeys, PartsMissing, parseParts, withParts } from '../../../lib/products/document.ts';
import type { ProductWithParts } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { keyText, productKey, userKey } from '../../../lib/table/keys.ts';
import { differingAttributes, setAction } from '../../../lib/table/write.ts';
import { type Check, findingsOf, note, type Problem, partitionCheck } from './finding.ts';
import { type Found, kinds, ofKind, readKind } from './item-kinds.ts';

/**
 * A product has a version and its default milestone, the names of its parts are distinct, and the fields that it derives
 * from its parts agree with them. That new bugs of a component go to the default assignee of another one is a note.
 */
export const productsCheck = (table: Table): Check =>
  partitionCheck('PRODUCT', async (items) => {
    const [own] = ofKind(items, kinds.product);
    const parts = ofKind(items, kinds.productParts);
    if (own === undefined) return parts.flatMap(({ key }) => findingsOf(key, ['its product does not exist']));
    const { content: product } = own;
    const named = new Set(furtherKeys(product).map(keyText));
    const known = parts.filter(({ key }) => named.has(keyText(key)));
    // Left by an interrupted run of `apply`; no request reads it.
    const stray = parts.flatMap((one) => {
      const repair = [{ remove: one.key }, { check: own.key, ...kinds.product.unchanged(product) }];
      return findingsOf(one.key, [
        !known.includes(one) && { violation: 'its product does not refer to it', repair },
      ]);
    });
    if (known.length < named.size) {
      // Derived fields cannot be checked without all parts.
      return [...stray, ...findingsOf(own.key, ['an item with parts is missing'])];
    }
    const texts = [product, ...known.map(({ content }) => content)].map((one) => one.parts);
    const complete = { product, ...parseParts(texts) };
    const notes = await assigneeNotes(table, complete);
    return [
      ...stray,
      ...findingsOf(own.key, [...partProblems(complete), ...notes, derivedProblem(complete)]),
    ];
  });

async function assigneeNotes(table: Table, { components }: ProductWithParts): Promise<Problem[]> {
  const active = components.filter(({ is_active }) => is_active);
  const keys = active.map(({ default_assigned_to }) => userKey(default_assigned_to));
  const userAt = await readKind(table, keys, kinds.user);
  return active.map(({ name, default_assigned_to: login }): Problem => {
    const isDisabled = userAt(userKey(login))?.disabled !== undefined;
    return isDisabled && note(`assigns new bugs in '${name}' to '${login}', who is disabled`);
  });
}

/** The products of bugs with their parts, by id, as far as they exist and are complete. */
export async function readProductsOf(
  table: Table,
  bugs: readonly Found<BugItem>[],
): Promise<Map<number, ProductWithParts>> {
  const ids = [...new Set(bugs.map(({ content }) => content.product_id))];
  const productAt = await readKind(table, ids.map(productKey), kinds.product);
  const products = ids.flatMap((id) => productAt(productKey(id)) ?? []);
  const complete = await mapConcurrent(products, (one) =>
    withParts(table, [one]).catch((error: unknown) => {
      if (error instanceof PartsMissing) return [];
      throw error;
    }),
  );
  return new Map(complete.flat().map((one) => [one.product.id, one]));
}

function partProblems({ product, components, flagTypes, milestones, versions }: ProductWithParts): Problem[] {
  const ids = new Set(components.map(({ id }) => id));
  return [
    versions.length === 0 && 'has no version',
    !milestones.some(({ name }) => name === product.default_milestone) &&
      `has no milestone '${product.default_milestone}', its default`,
    ...Object.entries({ components, milestones, versions }).flatMap(([kind, parts]) =>
      repeatedNames(parts.map(({ name }) => name)).map((name) => `has two ${kind} named '${name}'`),
    ),
    ...flagTypes
      .filter((type) => type.components?.some((id) => !ids.has(id)))
      .map(({ name }) => `has a flag type '${name}' for a component that does not exist`),
  ];
}

/** The names that equal an earlier one, ignoring case. */
export function repeatedNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(normalizeName(name)) || !seen.add(normalizeName(name)));
}

/** The product index follows by its own check. */
function derivedProblem({ product, components, versions }: ProductWithParts): Problem {
  const derived = {
    has_active_component: components.some((part) => part.is_active),
    has_active_version: versions.some((part) => part.is_active),
  };
  if (Object.keys(differingAttributes(product, { ...product, ...derived })).length === 0) return false;
  const written = { ...derived, revision: product.revision + 1 };
  const repair = [setAction(productKey(product.id), written, kinds.product.unchanged(product))];
  return { violation: 'has_active_component or has_active_version differs from its parts', repair };
}
