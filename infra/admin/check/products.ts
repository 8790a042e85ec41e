import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/db/client.ts';
import { catalogueKey, productKey, productNameKey } from '../../../lib/db/keys.ts';
import type { Item } from '../../../lib/db/reading.ts';
import { ABSENT, type Action } from '../../../lib/db/writing.ts';
import {
  catalogueEntry,
  catalogueItem,
  type ProductItem,
  type ProductWithParts,
  productItem,
  productNameItem,
} from '../../../lib/products/schema.ts';
import { parsedParts } from '../../../lib/products/store.ts';
import { fold } from '../../../lib/text.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readSound } from './item-kinds.ts';

/**
 * A product is one with a version and its default milestone, no name stands twice among its parts, and what it keeps
 * of them is so; its name leads to it, and the catalogue says of it what it says itself.
 */
export function productsCheck(table: Table): Check {
  let passing: Item[] = [];

  async function closed(): Promise<Finding[]> {
    const parts = parsedParts(passing);
    if (parts === undefined) return passing.map(orphan);
    return [...ownFindings(parts), ...(await pointerFindings(table, parts.product))];
  }

  return {
    async next(items) {
      const findings: Finding[] = [];
      for (const item of items.filter(({ pk }) => kindOf(pk) === 'PRODUCT')) {
        if (passing[0] !== undefined && passing[0]['pk'] !== item['pk']) {
          findings.push(...(await closed()));
          passing = [];
        }
        passing.push(item);
      }
      return findings;
    },
    end: closed,
  };
}

/** What an interrupted run of apply leaves: nobody sees it. */
function orphan(item: Item): Finding {
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  const still: Action = { check: { pk: key.pk, sk: 'PRODUCT' }, condition: ABSENT };
  return { item: keyText(key), wrong: 'its product is not there', repair: [{ remove: key }, still] };
}

function ownFindings({ product, components, flagTypes, milestones, versions }: ProductWithParts): Finding[] {
  const item = keyText(productKey(product.id));
  const ids = new Set(components.map(({ id }) => id));
  const wrongs = [
    ...(versions.length === 0 ? ['it has no version'] : []),
    ...(milestones.some(({ name }) => name === product.default_milestone)
      ? []
      : [`its default milestone '${product.default_milestone}' is none of its milestones`]),
    ...Object.entries({ components, milestones, versions }).flatMap(([what, all]) =>
      repeated(all).map((name) => `two of its ${what} are named '${name}'`),
    ),
    ...flagTypes
      .filter((type) => type.components?.some((id) => !ids.has(id)))
      .map(({ name }) => `its flag type '${name}' is for a component that is not there`),
  ];
  const real = {
    has_active_component: components.some((part) => part.is_active),
    has_active_version: versions.some((part) => part.is_active),
  };
  const { has_active_component, has_active_version } = product;
  const keepsWrong = !isDeepStrictEqual(real, { has_active_component, has_active_version });
  return [
    ...wrongs.map((wrong): Finding => ({ item, wrong })),
    ...(keepsWrong ? [partsForgotten(product, real)] : []),
  ];
}

function repeated(all: { name: string }[]): string[] {
  const names = all.map(({ name }) => name);
  return names.filter((name, place) => names.indexOf(name) < place);
}

function partsForgotten(
  product: ProductItem,
  real: Pick<ProductItem, 'has_active_component' | 'has_active_version'>,
): Finding {
  const { revision } = product;
  const right = { ...product, ...real, revision: revision + 1 };
  return {
    item: keyText(productKey(product.id)),
    wrong: 'whether it has an active component and an active version is not what it says',
    repair: [
      {
        put: { ...productKey(product.id), ...right },
        condition: 'revision = :read',
        values: { ':read': revision },
      },
      { put: { ...catalogueKey(product.id), ...catalogueEntry(right) } },
    ],
  };
}

async function pointerFindings(table: Table, product: ProductItem): Promise<Finding[]> {
  const [nameKey, entryKey] = [productNameKey(product.name), catalogueKey(product.id)];
  const read = new Map((await readSound(table, [nameKey, entryKey])).map((item) => [keyText(item), item]));
  const [name, entry] = [read.get(keyText(nameKey)), read.get(keyText(entryKey))];
  const still: Action = {
    check: productKey(product.id),
    condition: 'revision = :read',
    values: { ':read': product.revision },
  };
  const findings: Finding[] = [];
  const pointer = { product_id: product.id, name: product.name };
  if (name === undefined) {
    findings.push({
      item: keyText(nameKey),
      wrong: `product ${product.id} has this name, and it does not lead there`,
      repair: [{ put: { ...nameKey, ...pointer }, condition: ABSENT }, still],
    });
  } else if (!isDeepStrictEqual(productNameItem.parse(name), pointer)) {
    const { product_id, name: spelled } = productNameItem.parse(name);
    const wrong = `it leads to product ${product_id} as '${spelled}'; product ${product.id} is named '${product.name}'`;
    const isOurs = product_id === product.id;
    findings.push({
      item: keyText(nameKey),
      wrong,
      ...(isOurs ? { repair: [{ put: { ...nameKey, ...pointer } }, still] } : {}),
    });
  }
  const told = entry === undefined ? undefined : catalogueItem.parse(entry);
  if (!isDeepStrictEqual(told, catalogueEntry(product))) {
    findings.push({
      item: keyText(entryKey),
      wrong: `it says ${JSON.stringify(told) ?? 'nothing'}, the product ${JSON.stringify(catalogueEntry(product))}`,
      repair: [{ put: { ...entryKey, ...catalogueEntry(product) } }, still],
    });
  }
  return findings;
}

/** Names and catalogue entries are of products that are there, and have the name. */
export function productPointersCheck(table: Table): Check {
  return {
    async next(items) {
      const pointers = items.flatMap((item) => {
        if (item['sk'] === 'PRODUCTNAME') return [{ item, id: productNameItem.parse(item).product_id }];
        return item['pk'] === 'CATALOGUE' ? [{ item, id: catalogueItem.parse(item).id }] : [];
      });
      const read = await readSound(
        table,
        pointers.map(({ id }) => productKey(id)),
      );
      const products = new Map(read.map((item) => productItem.parse(item)).map((one) => [one.id, one]));
      return pointers.flatMap(({ item, id }): Finding[] => {
        const product = products.get(id);
        const isRight =
          item['pk'] === 'CATALOGUE'
            ? product !== undefined
            : product !== undefined && `PRODUCTNAME#${fold(product.name)}` === item['pk'];
        return isRight ? [] : [pointsNowhere(item, id, product)];
      });
    },
    end: async () => [],
  };
}

function pointsNowhere(item: Item, id: number, product: ProductItem | undefined): Finding {
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  const still: Action =
    product === undefined
      ? { check: productKey(id), condition: ABSENT }
      : { check: productKey(id), condition: 'revision = :read', values: { ':read': product.revision } };
  return {
    item: keyText(item),
    wrong: `it leads to product ${id}, which ${product === undefined ? 'is not there' : `is named '${product.name}'`}`,
    repair: [{ remove: key }, still],
  };
}
