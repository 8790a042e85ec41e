import { normalizeName } from '../../lib/base/text.ts';
import type { CatalogueControl as GroupControl } from '../../lib/catalogue/schema-products.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { idsResponse } from './source-schema.ts';

/** The group that products require here that are not public in Bugzilla. */
export const RESTRICTED = 'bugzilla-restricted';
export const RESTRICTED_GROUP = {
  name: RESTRICTED,
  description: 'Members see the products that are not public in Bugzilla',
};

/** Group controls of a product that the table has, under its name here. */
export interface ProductControls {
  id: number;
  name: string;
  group_controls: GroupControl[];
}

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
  // No user enters a product that is closed; but who may not see it, the owner of the key or not, needs a group.
  const entry = byKey.enterable.has(product) && !anonymous.enterable.has(product);
  const membercontrol = anonymous.selectable.has(product) ? 'NA' : 'MANDATORY';
  return entry || membercontrol === 'MANDATORY'
    ? [{ group: RESTRICTED, entry, membercontrol, canedit: false }]
    : [];
}

/**
 * The group controls of a product that the table has, as far as access in Bugzilla decides them: those that the operator has written
 * stay, and the one of RESTRICTED follows Bugzilla.
 *
 * @param inferred from access in Bugzilla now
 * @param isKnown whether access is known
 * @returns what the product has from now on, and what it has when everything else is written, which may be less restricted
 */
export function followedControls(
  existing: readonly GroupControl[],
  inferred: readonly GroupControl[],
  isKnown: boolean,
): { now: GroupControl[]; later: GroupControl[] } {
  const isOwn = ({ group }: GroupControl) => normalizeName(group) === RESTRICTED;
  const others = existing.filter((control) => !isOwn(control));
  const own = existing.find(isOwn);
  if (!isKnown) return { now: [...existing], later: [...existing] };
  const lacks = {
    entry: inferred.some(({ entry }) => entry) && !others.some(({ entry }) => entry),
    mandatory: inferred.some(isMandatory) && !others.some(isMandatory),
  };
  // In its place: what is written again as it was is no change.
  const having = (entry: boolean, mandatory: boolean): GroupControl[] => {
    if (!entry && !mandatory) return others;
    const membercontrol = mandatory ? 'MANDATORY' : 'NA';
    const control = { group: RESTRICTED, canedit: false, ...own, entry, membercontrol } as const;
    return own === undefined ? [...others, control] : existing.map((one) => (one === own ? control : one));
  };
  const has = { entry: own?.entry === true, mandatory: own !== undefined && isMandatory(own) };
  return {
    now: having(lacks.entry || has.entry, lacks.mandatory || has.mandatory),
    later: having(lacks.entry, lacks.mandatory),
  };
}

export const isMandatory = ({ membercontrol }: Pick<GroupControl, 'membercontrol'>): boolean =>
  membercontrol === 'MANDATORY';
