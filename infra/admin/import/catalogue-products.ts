import type { SourceFlagType, SourceProduct } from './source-schema.ts';

/** The name under which a group is known here. */
export type NameOfGroup = (id: number) => string;

interface FlagTypeUse {
  type: SourceFlagType;
  target: 'bug' | 'attachment';
  components: string[];
}

/**
 * A product of Bugzilla as a catalogue has it, not yet checked. The ids stay.
 *
 * @param groupControls which REST does not tell
 */
export function catalogueProduct(source: SourceProduct, nameOfGroup: NameOfGroup, groupControls: object[]) {
  const { default_milestone, classification, components, ...shown } = source;
  return {
    ...shown,
    ...(default_milestone === '' ? {} : { default_milestone }),
    ...(classification === '' ? {} : { classification }),
    group_controls: groupControls,
    components: components.map(({ flag_types: _, ...component }) => component),
    flag_types: flagTypesOf(source).map(({ type, target, components: using }) => ({
      ...type,
      target,
      cc_list: type.cc_list.split(/,\s*/).filter((login) => login !== ''),
      grant_group: type.grant_group === undefined ? null : nameOfGroup(type.grant_group),
      request_group: type.request_group === undefined ? null : nameOfGroup(type.request_group),
      ...(using.length === components.length ? {} : { components: using }),
    })),
  };
}

/** The ids of the groups that the flag types of a product name. */
export function groupIdsOf(source: SourceProduct): number[] {
  const ids = flagTypesOf(source).flatMap(({ type }) => [type.grant_group, type.request_group]);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** REST tells of each component which flag types it has; a catalogue, of each flag type which components. */
function flagTypesOf({ components }: SourceProduct): FlagTypeUse[] {
  const uses = new Map<number, FlagTypeUse>();
  for (const { name, flag_types } of components) {
    for (const target of ['bug', 'attachment'] as const) {
      for (const type of flag_types[target]) {
        const use = uses.get(type.id) ?? { type, target, components: [] };
        use.components.push(name);
        uses.set(type.id, use);
      }
    }
  }
  return [...uses.values()].sort((a, b) => a.type.id - b.type.id);
}
