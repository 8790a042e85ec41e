import { normalizeName } from '../../lib/base/text.ts';
import type { CatalogueControl as GroupControl } from '../../lib/catalogue/schema-products.ts';

/** A bug as a listing shows it. */
interface SeenBug {
  id: number;
  product: string;
  creator: string;
  groups: readonly string[];
}

/** Bugs of a product by one reporter in the same groups. */
interface Counted {
  creator: string;
  groups: readonly string[];
  bugs: number;
  /** the highest id */
  newest: number;
}

/** A control that follows from the groups of bugs. */
export interface SeenControl {
  group: string;
  membercontrol: GroupControl['membercontrol'];
  /** of the bugs of the product */
  bugs: number;
  of: number;
}

/**
 * The groups of the bugs of products, from which group controls are inferred, because REST does not expose these: rather too strict
 * than too permissive.
 */
export class SeenGroups {
  readonly #ofProducts = new Map<string, Map<string, Counted>>();

  add({ id, product, creator, groups }: SeenBug): void {
    const counted = this.#ofProducts.get(product) ?? new Map<string, Counted>();
    this.#ofProducts.set(product, counted);
    const key = JSON.stringify([creator, ...groups.toSorted()]);
    const known = counted.get(key) ?? { creator, groups, bugs: 0, newest: 0 };
    known.bugs += 1;
    known.newest = Math.max(known.newest, id);
    counted.set(key, known);
  }

  /**
   * What a product allows its bugs: where every bug is in a group, and the product is not public, MANDATORY. Where members of a group report their
   * bugs into it, at least the newest one or half of them, or none of them has reported a bug, DEFAULT; else SHOWN.
   *
   * @param isMember whether a login is in a group
   * @param isPublic whether everybody may see the product, so that no group is mandatory
   */
  controlsOf(
    product: string,
    isMember: (login: string, group: string) => boolean,
    isPublic: boolean,
  ): SeenControl[] {
    const all = [...(this.#ofProducts.get(product)?.values() ?? [])];
    const count = (some: readonly Counted[]) => some.reduce((sum, { bugs }) => sum + bugs, 0);
    const names = new Map(all.flatMap(({ groups }) => groups.map((name) => [normalizeName(name), name])));
    return [...names.values()].map((group) => {
      const isIn = ({ groups }: Counted) => groups.some((one) => normalizeName(one) === normalizeName(group));
      const [bugs, of] = [count(all.filter(isIn)), count(all)];
      const own = all.filter(({ creator }) => isMember(creator, group));
      const newest = own.toSorted((a, b) => b.newest - a.newest)[0];
      const isDefault = newest === undefined || isIn(newest) || 2 * count(own.filter(isIn)) >= count(own);
      const membercontrol = !isPublic && bugs === of ? 'MANDATORY' : isDefault ? 'DEFAULT' : 'SHOWN';
      return { group, membercontrol, bugs, of };
    });
  }
}
