import { sortedNumbers } from '../../base/ids.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { FlagTypeItem, ProductWithParts } from '../schema.ts';

/** Names of products, each with names of its components; without any: all of the product. */
export type GivenScope = readonly (string | Readonly<Record<string, readonly string[]>>)[];

/** The products, and their components, that something holds for. */
type Scope = ReadonlyMap<number, 'all' | ReadonlySet<number>>;

/** Where in a product a flag type is available. */
export type Availability = Pick<FlagTypeItem, 'components' | 'excluded_components'>;

/** Bounds the work for each product. */
const MAX_SCOPE_NAMES = 1_000;

/** Resolves the names of products and components, in any case. */
export function resolveScope(given: GivenScope, products: readonly ProductWithParts[]): Scope {
  const byName = new Map(products.map((one) => [normalizeName(one.product.name), one]));
  const named = given.flatMap((one): [string, readonly string[]][] =>
    typeof one === 'string' ? [[one, []]] : Object.entries(one),
  );
  // Nothing given means everywhere, which an object without products does not say.
  if (named.length === 0 && given.length > 0)
    throw errors.parameterInvalid('inclusions', 'it names no product');
  if (named.reduce((sum, [, components]) => sum + components.length + 1, 0) > MAX_SCOPE_NAMES) {
    throw errors.requestTooLarge(`at most ${MAX_SCOPE_NAMES} products and components`);
  }
  const scope = new Map<number, 'all' | Set<number>>();
  for (const [productName, componentNames] of named) {
    const found = byName.get(normalizeName(productName.trim()));
    if (found === undefined) throw errors.productAccessDenied(productName);
    const ids = componentNames.map((name) => {
      const component = found.components.find(
        (one) => normalizeName(one.name) === normalizeName(name.trim()),
      );
      if (component === undefined) throw errors.valueUnknown('component', name);
      return component.id;
    });
    const known = scope.get(found.product.id);
    if (ids.length === 0 || known === 'all') scope.set(found.product.id, 'all');
    else scope.set(found.product.id, new Set([...(known ?? []), ...ids]));
  }
  return scope;
}

/**
 * Where in a product a flag type is to be available; undefined: nowhere.
 *
 * @param included undefined: unchanged, of a new type everywhere; empty: everywhere
 * @param excluded undefined: unchanged
 * @param current where it is available before; undefined: nowhere
 */
export function availabilityIn(
  product: number,
  included: Scope | undefined,
  excluded: Scope | undefined,
  current: Availability | undefined,
): Availability | undefined {
  const isEverywhere = included?.size === 0;
  const inside = isEverywhere ? 'all' : included?.get(product);
  if (included === undefined ? current === undefined : inside === undefined) return undefined;
  const outside = excluded?.get(product);
  if (outside === 'all') return undefined;
  return {
    components:
      included === undefined
        ? (current?.components ?? null)
        : inside instanceof Set
          ? sortedNumbers([...inside])
          : null,
    excluded_components:
      excluded === undefined ? (current?.excluded_components ?? []) : sortedNumbers([...(outside ?? [])]),
  };
}
