import type { GroupControl } from '../../../lib/products/schema.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { idsResponse } from './source-schema.ts';

/** The group that products require here that are not public in Bugzilla. */
export const RESTRICTED = 'bugzilla-restricted';

/** Ids of products. */
interface AccessLists {
  selectable: ReadonlySet<number>;
  enterable: ReadonlySet<number>;
}

/** Access to products in Bugzilla, as far as REST exposes it. */
export interface Access {
  /** ids that the owner of the API key can access, ascending */
  products: number[];
  byKey: AccessLists;
  /** without a key; undefined when Bugzilla requires login */
  anonymous: AccessLists | undefined;
}

/** Reads which products are accessible with and without the API key. */
export async function readAccess(bugzilla: Bugzilla): Promise<Access> {
  const { ids } = await bugzilla.get('product_accessible', idsResponse);
  const byKey = await lists(bugzilla, false);
  const anonymous = await unlessRefused(lists(bugzilla, true), (error) => {
    if (error.status === 401) return undefined;
    throw error;
  });
  return { products: ids.toSorted((a, b) => a - b), byKey, anonymous };
}

async function lists(bugzilla: Bugzilla, anonymous: boolean): Promise<AccessLists> {
  const ids = async (list: string) => {
    const response = await bugzilla.get(list, idsResponse, { anonymous });
    return new Set(response.ids);
  };
  return { selectable: await ids('product_selectable'), enterable: await ids('product_enterable') };
}

/**
 * Infers group controls, which REST does not expose: what is not possible without a key requires a group.
 *
 * @returns empty when the product is public, or its access is unknown
 */
export function inferredControls({ byKey, anonymous }: Access, product: number): GroupControl[] {
  if (anonymous === undefined) return [];
  const isRestricted = (list: keyof AccessLists) => byKey[list].has(product) && !anonymous[list].has(product);
  const entry = isRestricted('enterable');
  const membercontrol = isRestricted('selectable') ? 'MANDATORY' : 'NA';
  return entry || membercontrol === 'MANDATORY'
    ? [{ group: RESTRICTED, entry, membercontrol, canedit: false }]
    : [];
}
