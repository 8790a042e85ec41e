import { DEFAULTS } from '../../lib/catalogue/defaults.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import type { AttachmentData } from '../../lib/catalogue/schema-bugs.ts';
import type { CatalogueControl } from '../../lib/catalogue/schema-products.ts';
import { parseNumbered } from './numbered.ts';

/** With a value for every field; those without a default may lack it at run time. */
type Complete<T> = T extends readonly (infer E)[]
  ? Complete<E>[]
  : T extends AttachmentData | CatalogueControl
    ? T
    : T extends object
      ? { [K in keyof T]-?: Complete<Exclude<T[K], undefined>> }
      : T;

/** A catalogue in which every field that has a default has a value. */
export type CompleteCatalogue = Complete<Catalogue>;

export type CompleteBug = CompleteCatalogue['bugs'][number];

/** Validates a catalogue, and fills in the defaults that entries of a new table have. */
export const parseCompleteCatalogue = (given: object): CompleteCatalogue =>
  completeCatalogue(parseNumbered(given));

/** Fills in the defaults that entries of a new table have. */
function completeCatalogue(catalogue: Catalogue): CompleteCatalogue {
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
      { ...DEFAULTS.bug, status: 'CONFIRMED' },
      catalogue.bugs.map((bug) => ({ ...bug, comments: fill(DEFAULTS.comment, bug.comments) })),
    ),
  } as CompleteCatalogue;
}
