import { DEFAULTS } from '../../lib/catalogue/defaults.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';

type Defaults = typeof DEFAULTS;
type Entry<K extends 'groups' | 'users' | 'classifications' | 'keywords' | 'products' | 'bugs'> =
  Catalogue[K][number];

/** An entry in which no field is absent that has a default. */
type Complete<T, D> = Omit<T, keyof D> & { [K in keyof D & keyof T]-?: Exclude<T[K], undefined> };

type FlagType = Complete<Entry<'products'>['flag_types'][number], Defaults['flagType']>;
type Component = Complete<Entry<'products'>['components'][number], Defaults['component']>;
type Release = Complete<Entry<'products'>['versions'][number], Defaults['release']>;
type Comment = Complete<Entry<'bugs'>['comments'][number], Defaults['comment']>;

export type CompleteProduct = Omit<
  Complete<Entry<'products'>, Defaults['product']>,
  'components' | 'flag_types' | 'versions' | 'milestones'
> & { components: Component[]; flag_types: FlagType[]; versions: Release[]; milestones: Release[] };
export type CompleteBug = Omit<Complete<Entry<'bugs'>, Defaults['bug']>, 'comments'> & {
  comments: Comment[];
};
type CompleteUser = Complete<Entry<'users'>, Defaults['user']>;

/** A catalogue in which every field that has a default has a value. */
export type CompleteCatalogue = Omit<
  Catalogue,
  'groups' | 'users' | 'classifications' | 'keywords' | 'products' | 'bugs'
> & {
  groups: Complete<Entry<'groups'>, Defaults['group']>[];
  users: CompleteUser[];
  classifications: Complete<Entry<'classifications'>, Defaults['classification']>[];
  keywords: Complete<Entry<'keywords'>, Defaults['keyword']>[];
  products: CompleteProduct[];
  bugs: CompleteBug[];
};

/** Validates a catalogue, and fills in the defaults that entries of a new table have. */
export const parseCompleteCatalogue = (given: unknown): CompleteCatalogue =>
  completeCatalogue(parseCatalogue(given));

/** Fills in the defaults that entries of a new table have. */
export function completeCatalogue(catalogue: Catalogue): CompleteCatalogue {
  const fill = (defaults: object, entries: readonly object[]) =>
    entries.map((entry) => ({ ...structuredClone(defaults), ...entry }));
  return {
    ...catalogue,
    groups: fill(DEFAULTS.group, catalogue.groups),
    users: fill(DEFAULTS.user, catalogue.users),
    classifications: fill(DEFAULTS.classification, catalogue.classifications),
    keywords: fill(DEFAULTS.keyword, catalogue.keywords),
    products: fill(
      DEFAULTS.product,
      catalogue.products.map((product) => ({
        ...product,
        components: fill(DEFAULTS.component, product.components),
        flag_types: fill(DEFAULTS.flagType, product.flag_types),
        versions: fill(DEFAULTS.release, product.versions),
        milestones: fill(DEFAULTS.release, product.milestones),
      })),
    ),
    bugs: fill(
      DEFAULTS.bug,
      catalogue.bugs.map((bug) => ({ ...bug, comments: fill(DEFAULTS.comment, bug.comments) })),
    ),
  } as CompleteCatalogue;
}
