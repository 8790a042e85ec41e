import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { compileExpression } from '../../lib/people/group-expression.ts';

/** The members of groups: those who are in them, whose logins their expressions find, and the members of groups in them. */
async function membersOf({ groups, users }: Catalogue): Promise<Map<string, string[]>> {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const expressions = await Promise.all(
    groups
      .filter(({ user_regexp = '' }) => user_regexp !== '')
      .map(async ({ name, user_regexp = '' }) => ({ name, matches: await compileExpression(user_regexp) })),
  );
  const members = new Map<string, string[]>();
  for (const { login, groups: direct = [] } of users) {
    const found = expressions.filter(({ matches }) => matches?.(login)).map(({ name }) => name);
    const own = new Set([...direct, ...found]);
    // A set that grows while it is iterated gives what was added, too.
    for (const name of own) for (const wider of byName.get(name)?.member_of ?? []) own.add(wider);
    for (const name of own) members.set(name, [...(members.get(name) ?? []), login]);
  }
  return members;
}

/** The groups that give rights here, by their names, with the logins of their members. */
export async function rightsGroups(catalogue: Catalogue, givesRights: (group: string) => boolean) {
  return [...(await membersOf(catalogue))]
    .filter(([group]) => givesRights(group))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, users]) => ({ group, users: users.toSorted() }));
}

/** A catalogue in which nobody is in a group that gives rights, nor may grant it. */
export function withoutRights(catalogue: Catalogue, givesRights: (group: string) => boolean): Catalogue {
  const others = (names: readonly string[] = []) => names.filter((name) => !givesRights(name));
  return {
    ...catalogue,
    users: catalogue.users.map((user) => ({
      ...user,
      groups: others(user.groups),
      bless_groups: others(user.bless_groups),
    })),
    groups: catalogue.groups.map((group) => ({
      ...group,
      ...(givesRights(group.name) ? { user_regexp: '' } : {}),
      member_of: others(group.member_of),
      bless_groups: others(group.bless_groups),
    })),
  };
}
