import { mapConcurrent } from '../base/collections.ts';
import { compareNames, normalizeName } from '../base/text.ts';
import { openGroupGraph } from '../people/group-graph.ts';
import { groupRepository } from '../people/group-repository.ts';
import { GROUP_RELATIONS, type GroupItem, groupItem } from '../people/schema.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { namesAt } from './places.ts';
import { namesOf, type PlanContext, putChanged, unknownNames } from './plan.ts';
import type { Problem } from './schema.ts';

/** The group with a name, in any case, that a catalogue refers to; to be called when the groups are written. */
export type GroupNamed = (name: string) => GroupItem;

/** Adds groups, and changes existing ones, whose ids and spelling stay. */
export async function planGroups({ table, catalogue, digest, counter }: PlanContext) {
  const repository = groupRepository(table);
  const references = namesAt(catalogue, REFERENCES).filter(({ value }) => value !== '');
  const given = catalogue.groups.map(({ name }) => name);
  const stored = await repository.byNames([
    ...given,
    ...references.map(({ value }) => value),
    ...digest.groups,
  ]);
  const groups = new Map(stored.map((group) => [normalizeName(group.name), group]));
  const { inactive } = await openGroupGraph(table)();
  const takenIds = await mapConcurrent([...catalogue.groups.entries()], async ([index, { id, name }]) => {
    const holder = id === undefined ? undefined : await repository.nameById(id);
    if (holder === undefined || normalizeName(holder) === normalizeName(name)) return [];
    const message = `the group ${id} is '${holder}', not '${name}'`;
    return [{ path: ['groups', index, 'id'], message }] satisfies Problem[];
  });
  const groupNames = namesOf([...given, ...groups.keys()]);
  const spellings = new Map(
    [...given, ...stored.map(({ name }) => name)].map((name) => [normalizeName(name), name]),
  );
  const spelled = (name: string) => spellings.get(normalizeName(name)) ?? name;
  return {
    problems: [...unknownNames('group', references, groupNames), ...takenIds.flat()],
    groupNames,
    isInactive(name: string): boolean {
      const normalized = normalizeName(name);
      const group = groups.get(normalized);
      return group === undefined ? inactive.has(normalized) : group.is_active === false;
    },
    async execute() {
      for (const { id: givenId, name, ...given } of catalogue.groups) {
        const existing = groups.get(normalizeName(name));
        const id = existing?.id ?? givenId ?? (await repository.allocateId());
        const group = storedRelations(
          groupItem.parse({ name, ...mergeFields(DEFAULTS.group, existing, given), id }),
          spelled,
        );
        counter.count(
          'groups',
          await putChanged(existing, group, (desired) => repository.put([{ existing, desired }])),
        );
        groups.set(normalizeName(name), group);
      }
    },
    groupNamed(name: string): GroupItem {
      const group = groups.get(normalizeName(name));
      if (group === undefined) throw new Error(`The group '${name}' was not planned`);
      return group;
    },
  };
}

/** A group as it is stored: with the spelling of the groups that it names, each once. */
function storedRelations(group: GroupItem, spelled: (name: string) => string): GroupItem {
  const result = { ...group };
  for (const relation of GROUP_RELATIONS) {
    const names = [...new Set(group[relation]?.map(spelled))].sort(compareNames);
    if (names.length > 0) result[relation] = names;
    else delete result[relation];
  }
  return result;
}

/** Where groups, users and products name a group. */
const REFERENCES = [
  ...GROUP_RELATIONS.map((relation) => `groups.*.${relation}.*`),
  ...['users.*.groups.*', 'users.*.bless_groups.*', 'users.*.saved_searches.*.group'],
  ...['products.*.group_controls.*.group', 'products.*.flag_types.*.grant_group'],
  'products.*.flag_types.*.request_group',
];
