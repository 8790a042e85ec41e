import type { SourceFlagType, SourceProduct } from './source-schema.ts';

/** The name of a group in the table, by its id in Bugzilla. */
export type NameOfGroup = (id: number) => string;

interface FlagTypeUse {
  type: SourceFlagType;
  target: 'bug' | 'attachment';
  components: string[];
}

/**
 * Converts a product of Bugzilla to the format of a catalogue, not yet validated. Ids are kept.
 *
 * @param groupControls which REST does not expose
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
      cc_list: type.cc_list,
      grant_group: type.grant_group === undefined ? null : nameOfGroup(type.grant_group),
      request_group: type.request_group === undefined ? null : nameOfGroup(type.request_group),
      components: using.length === components.length ? null : using,
    })),
  };
}

/** The ids of the groups that the flag types of a product refer to. */
export function groupIdsOf(source: SourceProduct): number[] {
  const ids = flagTypesOf(source).flatMap(({ type }) => [type.grant_group, type.request_group]);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** REST lists the flag types of each component; a catalogue lists the components of each flag type. */
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
