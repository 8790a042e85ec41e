import { compareNames } from '../base/text.ts';
import { productOf } from '../changes/watches/find-watches.ts';
import type { Watched } from '../changes/watches/schema.ts';
import type { ProductWithParts } from '../products/schema.ts';

/** What a catalogue has of what a user watches, by names, without what does not exist any more. @param logins by the ids of users */
export function exportWatches(
  watched: readonly Watched[],
  logins: ReadonlyMap<number, string>,
  products: ReadonlyMap<number, ProductWithParts>,
) {
  const users = watched.flatMap(({ kind, id }) => (kind === 'user' ? (logins.get(id) ?? []) : []));
  const components = watched.flatMap((one) => {
    const whole = one.kind === 'user' ? undefined : products.get(productOf(one));
    if (whole === undefined) return [];
    const product = whole.product.name;
    if (one.kind === 'product') return [{ product }];
    const component = whole.components.find(({ id }) => id === one.id)?.name;
    return component === undefined ? [] : [{ product, component }];
  });
  return {
    ...(users.length > 0 && { watched_users: users.sort(compareNames) }),
    ...(components.length > 0 && { watched_components: components.sort(byName) }),
  };
}

const byName = (
  a: { product: string; component?: string },
  b: { product: string; component?: string },
): number => compareNames(a.product, b.product) || compareNames(a.component ?? '', b.component ?? '');
