import { normalizeName } from '../base/text.ts';
import { type BugzillaError, errors } from '../errors.ts';
import {
  type ComponentItem,
  componentItem,
  EMPTY_COMPONENT,
  type ProductParts,
  type ReleaseItem,
  releaseItem,
} from './schema.ts';

/** Components, versions or milestones: what all of them have, and what they differ in. */
export interface PartKind<T extends ReleaseItem> {
  name: 'component' | 'version' | 'milestone';
  list: 'components' | 'versions' | 'milestones';
  partsOf(product: ProductParts): readonly T[];
  /** a part with these attributes; of a new one those that are not given are the defaults */
  parse(attributes: object): T;
  /** the error for a name that the product has already */
  taken(name: string): BugzillaError;
}

export const COMPONENTS: PartKind<ComponentItem> = {
  ...{ name: 'component', list: 'components', taken: errors.componentTaken },
  partsOf: ({ components }) => components,
  parse: (attributes) => componentItem.parse({ ...EMPTY_COMPONENT, ...attributes }),
};

const releases = (name: 'version' | 'milestone', list: 'versions' | 'milestones'): PartKind<ReleaseItem> => ({
  ...{ name, list, partsOf: (product) => product[list] },
  parse: (attributes) => releaseItem.parse({ sort_key: 0, is_active: true, ...attributes }),
  taken: (taken) => errors.releaseTaken(name, taken),
});
export const VERSIONS = releases('version', 'versions');
export const MILESTONES = releases('milestone', 'milestones');

/** The part that has a name, in any case; none: undefined. */
export const partNamed = <T extends { name: string }>(parts: readonly T[], name: string): T | undefined =>
  parts.find((part) => normalizeName(part.name) === normalizeName(name));
