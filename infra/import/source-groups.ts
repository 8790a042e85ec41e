import { normalizeName } from '../../lib/base/text.ts';
import { groupRepository } from '../../lib/people/group-repository.ts';
import { type Bugzilla, type Query, unlessRefused } from './bugzilla-client.ts';
import { OTHER_ID, type WithSettings } from './settings.ts';
import { groupsResponse, type SourceGroup } from './source-schema.ts';

export type SourceGroups = ReturnType<typeof sourceGroups>;

/** Adds the groups of a Bugzilla that products and bugs refer to, to the settings, but for those that the table has. */
export function sourceGroups({ table, settings, problems }: WithSettings, bugzilla: Bugzilla) {
  const byId = new Map<number, SourceGroup>();
  /** by normalized name; each group is added once */
  const created = new Map<string, Promise<void>>();
  let canRead = bugzilla.hasKey;

  async function create(name: string): Promise<void> {
    const hasName = (group: SourceGroup) => normalizeName(group.name) === normalizeName(name);
    const [existing] = await groupRepository(table).byNames([name]);
    if (existing !== undefined) {
      const described = [...byId.values()].find(hasName)?.description ?? existing.description;
      if (described !== existing.description)
        settings.groups.push({ name: existing.name, description: described });
      return;
    }
    if (![...byId.values()].some(hasName)) await request({ names: name });
    const known = [...byId.values()].find(hasName);
    settings.groups.push(known ?? { name });
    if (known !== undefined) return;
    problems.add({ kind: 'groups with another name or id', where: `group '${name}'`, why: OTHER_ID });
  }

  async function request(query: Query): Promise<void> {
    if (!canRead) return;
    const response = await unlessRefused(bugzilla.get('group', groupsResponse, { query }), () => undefined);
    // The right to read groups is for all groups or none.
    canRead = response !== undefined;
    for (const group of response?.groups ?? []) byId.set(group.id, group);
  }

  /** Adds a group. */
  function ensureName(name: string): Promise<void> {
    const creation = created.get(normalizeName(name)) ?? create(name);
    created.set(normalizeName(name), creation);
    return creation;
  }

  return {
    ensureName,

    /** The names of the groups that the Bugzilla has told of, by their ids there. */
    known: (): ReadonlyMap<number, string> => new Map([...byId].map(([id, { name }]) => [id, name])),

    /** Remembers groups that the Bugzilla has told of, so that they keep their ids and descriptions. */
    know(groups: readonly SourceGroup[]): void {
      for (const group of groups) byId.set(group.id, group);
    },

    /** Adds groups by their ids in Bugzilla. @returns their names in the table */
    async ensureIds(ids: number[]): Promise<(id: number) => string> {
      const unknown = ids.filter((id) => !byId.has(id));
      if (unknown.length > 0) await request({ ids: unknown });
      for (const id of unknown) {
        if (byId.has(id)) continue;
        const name = `bugzilla-group-${id}`;
        byId.set(id, { id, name, description: `Group ${id} of ${bugzilla.url}` });
        const why = `its name is hidden from the API key; here it is named ${name}`;
        problems.add({ kind: 'groups with another name or id', where: `group ${id}`, why });
      }
      const groupNameOf = (id: number) => byId.get(id)?.name ?? '';
      for (const id of ids) await ensureName(groupNameOf(id));
      return groupNameOf;
    },
  };
}
