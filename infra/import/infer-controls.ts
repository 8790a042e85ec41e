import { normalizeName } from '../../lib/base/text.ts';
import type { ImportContext } from './copy-product.ts';
import type { LastRun } from './last-run.ts';
import type { Problem } from './problems.ts';
import { type Access, isMandatory } from './product-access.ts';
import type { SeenGroups } from './seen-groups.ts';

/** The controls that were inferred, by the groups, of products by their ids. */
export type InferredControls = ReadonlyMap<number, Record<string, string>>;

/**
 * Adds the group controls that follow from the groups of bugs to the settings, because REST does not expose them: each group of a bug
 * is one of its product. Those that the table has stay.
 *
 * @param isMember whether a login is in a group in Bugzilla
 * @param before what earlier runs have inferred; where the operator has not changed it since, it is reported again
 */
export async function inferControls(
  { groups, problems, settings }: Pick<ImportContext, 'groups' | 'problems' | 'settings'>,
  { anonymous }: Pick<Access, 'anonymous'>,
  seen: SeenGroups,
  isMember: (login: string, group: string) => boolean,
  before: LastRun,
): Promise<InferredControls> {
  const inferred = new Map<number, Record<string, string>>();
  for (const product of settings.products) {
    const { id = 0, name } = product;
    const isPublic = anonymous?.selectable.has(id) ?? false;
    const hasMandatory = (product.group_controls ?? []).some(isMandatory);
    const earlier = before.products.find((one) => one.id === id)?.inferred ?? {};
    const all: Record<string, string> = {};
    for (const { group, membercontrol, bugs, of } of seen.controlsOf(name, isMember, isPublic)) {
      const known = product.group_controls?.find((one) => normalizeName(one.group) === normalizeName(group));
      const isKnown = known !== undefined && known.membercontrol !== 'NA';
      if (isKnown && earlier[known.group] !== known.membercontrol) continue;
      // Access is restricted by the group that is mandatory here.
      const guessed = hasMandatory && membercontrol === 'MANDATORY' ? 'DEFAULT' : membercontrol;
      const control = isKnown ? known.membercontrol : guessed;
      if (!isKnown) {
        await groups.ensureName(group);
        const others = (product.group_controls ?? []).filter((one) => one !== known);
        const given = { entry: false, canedit: false, ...known, group, membercontrol: control };
        product.group_controls = [...others, given];
      }
      all[known?.group ?? group] = control;
      problems.add(problemOf(name, group, `${control}, inferred from ${bugs} of its ${of} bugs`));
    }
    if (Object.keys(all).length > 0) inferred.set(id, all);
  }
  return inferred;
}

const problemOf = (product: string, group: string, what: string): Problem => ({
  kind: 'products with inferred access',
  where: `product '${product}'`,
  why: `the group '${group}' is ${what}: say with a catalogue what it is, before --final`,
});
