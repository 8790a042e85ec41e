import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { mapConcurrent } from '../../../lib/base/collections.ts';
import { normalizeName } from '../../../lib/base/text.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { fromPartition, isOrphan, PartsMissing, withParts } from '../../../lib/products/document.ts';
import type { ProductItem, ProductWithParts } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { type Key, keyOf, productIndexKey, productKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/read.ts';
import { ABSENT, type Action } from '../../../lib/table/write.ts';
import { type Check, type Finding, findingsOf, kindOfKey } from './finding.ts';
import { kinds, readKind } from './item-kinds.ts';

/**
 * A product has a version and its default milestone, the names of its parts are distinct, and the fields that it derives
 * from its parts agree with them.
 */
export function productsCheck(): Check {
  let current: Item[] = [];
  /** products and components by the normalized logins of their default assignees */
  const assignedBy = new Map<string, { product: ProductItem; component: string }[]>();
  const disabled = new Set<string>();

  function finishProduct(): Finding[] {
    const { product, missing = [] } = fromPartition(current) ?? {};
    const orphans = current
      .filter((item) => isOrphan(item, product?.product))
      .flatMap((item) => orphanPart(keyOf(item), product?.product));
    if (product === undefined) return orphans;
    const lost = missing.flatMap((key) => findingsOf(key, ['an item with parts is missing']));
    for (const { name, default_assigned_to, is_active } of product.components) {
      if (!is_active) continue;
      const login = normalizeName(default_assigned_to);
      const known = assignedBy.get(login) ?? [];
      assignedBy.set(login, [...known, { product: product.product, component: name }]);
    }
    // Derived fields cannot be checked without all parts.
    return lost.length > 0
      ? [...orphans, ...lost]
      : [...orphans, ...partFindings(product), ...derivedFindings(product)];
  }

  return {
    async scan(items) {
      const findings: Finding[] = [];
      for (const item of items) {
        const { data: user } = disabledUser.safeParse(item);
        if (user !== undefined && kindOfKey(item.pk) === 'USER') disabled.add(normalizeName(user.login));
      }
      for (const item of items.filter(({ pk }) => kindOfKey(pk) === 'PRODUCT')) {
        if (current[0] !== undefined && current[0].pk !== item.pk) {
          findings.push(...finishProduct());
          current = [];
        }
        current.push(item);
      }
      return findings;
    },
    finish: async () => [
      ...finishProduct(),
      ...[...disabled].flatMap((login) =>
        (assignedBy.get(login) ?? []).flatMap((one) => leftNotes(login, one)),
      ),
    ],
  };
}

const disabledUser = z.object({ login: z.string(), disabled: z.string() });

/** New bugs of the component go to the default assignee of another one. */
const leftNotes = (login: string, { product, component }: { product: ProductItem; component: string }) =>
  findingsOf(productKey(product.id), [
    { violation: `assigns new bugs in '${component}' to '${login}', who is disabled`, isNote: true },
  ]);

/** The products of bugs with their parts, by id, as far as they exist and are complete. */
export async function readProductsOf(
  table: Table,
  bugs: readonly Pick<BugItem, 'product_id'>[],
): Promise<Map<number, ProductWithParts>> {
  const ids = [...new Set(bugs.map(({ product_id }) => product_id))];
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

const productOfKey = ({ pk }: Key): number => Number(pk.split('#')[1]);

/** Left by an interrupted run of `apply`; no request reads it. */
function orphanPart(key: Key, product: ProductItem | undefined): Finding[] {
  const own = { pk: key.pk, sk: 'PRODUCT' };
  const unchanged: Action =
    product === undefined
      ? { check: own, condition: ABSENT }
      : { check: own, condition: 'revision = :read', values: { ':read': product.revision } };
  const violation = product === undefined ? 'its product does not exist' : 'its product does not refer to it';
  // A product that is in the index was lost: what is left of it stays.
  const isUnknown: Action = { check: productIndexKey(productOfKey(key)), condition: ABSENT };
  const conditions = product === undefined ? [unchanged, isUnknown] : [unchanged];
  return findingsOf(key, [{ violation, repair: [{ remove: key }, ...conditions] }]);
}

function partFindings({ product, components, flagTypes, milestones, versions }: ProductWithParts): Finding[] {
  const ids = new Set(components.map(({ id }) => id));
  return findingsOf(productKey(product.id), [
    versions.length === 0 && 'has no version',
    !milestones.some(({ name }) => name === product.default_milestone) &&
      `has no milestone '${product.default_milestone}', its default`,
    ...Object.entries({ components, milestones, versions }).flatMap(([kind, parts]) =>
      repeatedNames(parts.map(({ name }) => name)).map((name) => `has two ${kind} named '${name}'`),
    ),
    ...flagTypes
      .filter((type) => type.components?.some((id) => !ids.has(id)))
      .map(({ name }) => `has a flag type '${name}' for a component that does not exist`),
  ]);
}

/** The names that equal an earlier one, ignoring case. */
export function repeatedNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(normalizeName(name)) || !seen.add(normalizeName(name)));
}

function derivedFindings({ product, components, versions }: ProductWithParts): Finding[] {
  const derived = {
    has_active_component: components.some((part) => part.is_active),
    has_active_version: versions.some((part) => part.is_active),
  };
  const { has_active_component, has_active_version } = product;
  if (isDeepStrictEqual(derived, { has_active_component, has_active_version })) return [];
  const violation = 'has_active_component or has_active_version differs from its parts';
  // The product index follows by its own check.
  const repair: Action[] = [
    {
      update: productKey(product.id),
      set: 'SET has_active_component = :component, has_active_version = :version, revision = :next',
      condition: 'revision = :read',
      values: {
        ':component': derived.has_active_component,
        ':version': derived.has_active_version,
        ':next': product.revision + 1,
        ':read': product.revision,
      },
    },
  ];
  return findingsOf(productKey(product.id), [{ violation, repair }]);
}
