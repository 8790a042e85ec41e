import { compareNames } from '../../base/text.ts';
import type { Caller } from '../../people/caller.ts';
import type { UserRepository } from '../../people/repository.ts';
import { isOfType } from '../../products/permissions.ts';
import type { ProductRepository } from '../../products/repository.ts';
import { productIndexEntry } from '../../products/schema.ts';
import type { WatchRepository } from './repository.ts';
import type { Watched, WatchesItem } from './schema.ts';

export interface WatchServices {
  watches: WatchRepository;
  users: UserRepository;
  products: ProductRepository;
}

/** A component that is watched, in the interface. */
interface ShownComponent {
  product: string;
  /** null: all components of the product */
  component: string | null;
}

/** What a caller watches, without products that the caller may not access now, and what is gone. */
export async function shownWatches(
  { users, products }: WatchServices,
  { watched }: Pick<WatchesItem, 'watched'>,
  caller: Caller,
) {
  const ids = watched.flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
  const places = watched.filter(({ kind }) => kind !== 'user');
  const [found, whole] = await Promise.all([
    users.byIds(ids),
    products.allWithParts([...new Set(places.map(productOf))]),
  ]);
  const accessible = whole.filter(({ product }) =>
    isOfType(productIndexEntry(product), 'accessible', caller),
  );
  const names = new Map(
    accessible.map(({ product, components }) => [
      product.id,
      { product: product.name, components: new Map(components.map(({ id, name }) => [id, name])) },
    ]),
  );
  const shown = places.flatMap((one): ShownComponent[] => {
    const named = names.get(productOf(one));
    if (named === undefined) return [];
    const { product, components } = named;
    const component = one.kind === 'product' ? null : components.get(one.id);
    return component === undefined ? [] : [{ product, component }];
  });
  return {
    /** logins */
    watched_users: found.map(({ login }) => login).sort(compareNames),
    watched_components: shown.sort(byName),
  };
}

export type ShownWatches = Awaited<ReturnType<typeof shownWatches>>;

/** The id of the product of what is watched. */
export const productOf = ({ id, product_id = id }: Watched): number => product_id;

const byName = (a: ShownComponent, b: ShownComponent): number =>
  compareNames(a.product, b.product) || compareNames(a.component ?? '', b.component ?? '');
