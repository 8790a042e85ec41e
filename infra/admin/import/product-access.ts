import type { GroupControl } from '../../../lib/products/schema.ts';
import { type Bugzilla, BugzillaError } from './bugzilla-client.ts';
import { idsAnswer } from './source-schema.ts';

/** The group whose members see here what Bugzilla does not show to everybody. */
export const RESTRICTED = 'bugzilla-restricted';

/** Ids of products, by what one can do with them. */
interface Lists {
  selectable: ReadonlySet<number>;
  enterable: ReadonlySet<number>;
}

/** Who can do what with products, as far as it can be found out. */
export interface Access {
  /** ids of those that the API key's owner can reach, in order */
  products: number[];
  byKey: Lists;
  /** of those without a key; undefined: Bugzilla demands a login of everybody */
  byAnybody: Lists | undefined;
}

/** Asks which products the API key's owner can reach, and which of them anybody can. */
export async function readAccess(bugzilla: Bugzilla): Promise<Access> {
  const { ids } = await bugzilla.get('product_accessible', idsAnswer);
  const byKey = await lists(bugzilla, false);
  const byAnybody = await lists(bugzilla, true).catch((error: unknown) => {
    if (error instanceof BugzillaError && error.status === 401) return undefined;
    throw error;
  });
  return { products: ids.toSorted((a, b) => a - b), byKey, byAnybody };
}

async function lists(bugzilla: Bugzilla, anonymously: boolean): Promise<Lists> {
  const ids = async (list: string) => {
    const answer = await bugzilla.get(list, idsAnswer, { anonymously });
    return new Set(answer.ids);
  };
  return { selectable: await ids('product_selectable'), enterable: await ids('product_enterable') };
}

/**
 * Group controls that keep a product from those whom Bugzilla keeps from it: REST does not tell the real ones,
 * but what nobody can do without a key takes some group.
 *
 * @returns none when everybody can do what the key's owner can, or nothing is known
 */
export function guessedControls({ byKey, byAnybody }: Access, product: number): GroupControl[] {
  if (byAnybody === undefined) return [];
  const isRestricted = (list: keyof Lists) => byKey[list].has(product) && !byAnybody[list].has(product);
  const entry = isRestricted('enterable');
  const membercontrol = isRestricted('selectable') ? 'MANDATORY' : 'NA';
  return entry || membercontrol === 'MANDATORY'
    ? [{ group: RESTRICTED, entry, membercontrol, canedit: false }]
    : [];
}
