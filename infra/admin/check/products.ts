import { isDeepStrictEqual } from 'node:util';
import { productIndexKey, productKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { fromPartition, isOrphan } from '../../../lib/products/document.ts';
import { raiseVersionAction } from '../../../lib/products/product-index.ts';
import { type ProductItem, type ProductWithParts, productIndexEntry } from '../../../lib/products/schema.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';

/**
 * A product is one with a version and its default milestone, no name stands twice among its parts, and what it keeps
 * of them is so.
 */
export function productsCheck(): Check {
  let passing: Item[] = [];

  function closed(): Finding[] {
    const parts = fromPartition(passing);
    const orphans = passing
      .filter((item) => isOrphan(item, parts?.product))
      .map((item) => orphanPart(item, parts?.product));
    return parts === undefined ? orphans : [...orphans, ...ownFindings(parts), ...keptFindings(parts)];
  }

  return {
    async next(items) {
      const findings: Finding[] = [];
      for (const item of items.filter(({ pk }) => kindOf(pk) === 'PRODUCT')) {
        if (passing[0] !== undefined && passing[0]['pk'] !== item['pk']) {
          findings.push(...closed());
          passing = [];
        }
        passing.push(item);
      }
      return findings;
    },
    end: async () => closed(),
  };
}

/** Left by an interrupted run of apply: no request reads it. */
function orphanPart(item: Item, product: ProductItem | undefined): Finding {
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  const own = { pk: key.pk, sk: 'PRODUCT' };
  const still: Action =
    product === undefined
      ? { check: own, condition: ABSENT }
      : { check: own, condition: 'revision = :read', values: { ':read': product.revision } };
  const wrong =
    product === undefined ? 'its product is not there' : 'it belongs to no revision of its product';
  return { item: keyText(key), wrong, repair: [{ remove: key }, still] };
}

function ownFindings({ product, components, flagTypes, milestones, versions }: ProductWithParts): Finding[] {
  const ids = new Set(components.map(({ id }) => id));
  const isItsMilestone = milestones.some(({ name }) => name === product.default_milestone);
  const wrongs = [
    ...(versions.length === 0 ? ['it has no version'] : []),
    ...(isItsMilestone
      ? []
      : [`its default milestone '${product.default_milestone}' is none of its milestones`]),
    ...Object.entries({ components, milestones, versions }).flatMap(([what, all]) =>
      repeatedNames(all).map((name) => `two of its ${what} are named '${name}'`),
    ),
    ...flagTypes
      .filter((type) => type.components?.some((id) => !ids.has(id)))
      .map(({ name }) => `its flag type '${name}' is for a component that is not there`),
  ];
  return wrongs.map((wrong) => ({ item: keyText(productKey(product.id)), wrong }));
}

function repeatedNames(all: { name: string }[]): string[] {
  const seen = new Set<string>();
  return all.map(({ name }) => name).filter((name) => seen.has(name) || !seen.add(name));
}

function keptFindings({ product, components, versions }: ProductWithParts): Finding[] {
  const real = {
    has_active_component: components.some((part) => part.is_active),
    has_active_version: versions.some((part) => part.is_active),
  };
  const { has_active_component, has_active_version } = product;
  if (isDeepStrictEqual(real, { has_active_component, has_active_version })) return [];
  const wrong = 'whether it has an active component and an active version is not what it says';
  return [{ item: keyText(productKey(product.id)), wrong, repair: keeping({ ...product, ...real }) }];
}

const keeping = (right: ProductItem): Action[] => [
  {
    update: productKey(right.id),
    set: 'SET has_active_component = :component, has_active_version = :version, revision = :next',
    condition: 'revision = :read',
    values: {
      ':component': right.has_active_component,
      ':version': right.has_active_version,
      ':next': right.revision + 1,
      ':read': right.revision,
    },
  },
  { put: { ...productIndexKey(right.id), ...productIndexEntry(right) } },
  raiseVersionAction(new Date()),
];
