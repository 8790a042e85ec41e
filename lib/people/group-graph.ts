import * as z from 'zod/mini';
import { bytes, compareNames, normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { groupGraphKey } from '../table/keys.ts';
import { readItem } from '../table/read.ts';
import { ABSENT, type Action } from '../table/write.ts';
import { compileExpression } from './group-expression.ts';
import { GROUP_RELATIONS, type GroupItem, groupItem, type UserItem } from './schema.ts';

/** The whole graph is in one item of at most 400 KB, which every request with credentials reads. */
const MAX_GRAPH_BYTES = 300_000;

/** What decides, beside the groups of a user, in which groups the user is: the groups that have more than a description. */
const graphGroup = z.omit(groupItem, { description: true });
type GraphGroup = z.infer<typeof graphGroup>;

export const groupGraphItem = z.object({
  /** advanced with every change */
  version: z.int(),
  /** JSON of the groups, by name */
  groups: z.string(),
});

interface Member {
  login: string;
  groups: readonly string[];
}

/** @throws SyntaxError when the text is no JSON */
const parseGroups = (text: string): GraphGroup[] => z.parse(z.array(graphGroup), JSON.parse(text));

/** How groups are in groups. Names are in their stored spelling where nothing else is said. */
export type GroupGraph = Awaited<ReturnType<typeof graphOf>>;

/** The graph of groups. */
export async function graphOf(all: readonly GraphGroup[]) {
  const byName = new Map(all.map((group) => [normalizeName(group.name), group]));
  const expressions = await Promise.all(
    all
      .filter(({ user_regexp = '' }) => user_regexp !== '')
      .map(async ({ name, user_regexp = '' }) => ({ name, matches: await compileExpression(user_regexp) })),
  );
  const allGroups = ({ login, groups }: Member): string[] => {
    const matching = expressions.filter(({ matches }) => matches?.(login)).map(({ name }) => name);
    const found = new Map<string, string>();
    for (const left = [...groups, ...matching]; left.length > 0; ) {
      const name = left.pop() ?? '';
      const normalized = normalizeName(name);
      if (found.has(normalized)) continue;
      found.set(normalized, name);
      left.push(...(byName.get(normalized)?.member_of ?? []));
    }
    return [...found.values()].sort(compareNames);
  };
  return {
    /**
     * A user with all groups: those of the user, those whose expression the login matches, and all to which these belong, over
     * any depth.
     */
    withAllGroups<T extends Member>(user: T): T {
      if (all.length === 0) return user;
      const groups = allGroups(user);
      return groups.length === user.groups.length ? user : { ...user, groups };
    },
    /** The groups that a user may grant: their own, and those that members of their groups may grant; `editusers` grants all. */
    grantedBy(user: Member & Pick<UserItem, 'bless_groups'>): string[] {
      const groups = allGroups(user).flatMap((name) => byName.get(normalizeName(name))?.bless_groups ?? []);
      return [...new Set([...(user.bless_groups ?? []), ...groups])].sort(compareNames);
    },
    /** normalized names of the groups that new bugs do not get */
    inactive: new Set(all.filter((one) => one.is_active === false).map(({ name }) => normalizeName(name))),
  };
}

/** Reads the graph, strongly consistent; what was made of it is kept while it stays the same. */
export function openGroupGraph(table: Table): () => Promise<GroupGraph> {
  let known: { text: string; graph: Promise<GroupGraph> } | undefined;
  return async () => {
    const { groups: text } = (await readItem(table, groupGraphKey, groupGraphItem)) ?? EMPTY;
    known = known?.text === text ? known : { text, graph: graphOf(parseGroups(text)) };
    return known.graph;
  };
}

const EMPTY = { version: 0, groups: '[]' };

/** Whether the graph has a group. */
const isInGraph = ({ user_regexp = '', is_active, ...group }: GraphGroup): boolean =>
  user_regexp !== '' ||
  is_active === false ||
  GROUP_RELATIONS.some((relation) => group[relation] !== undefined);

/** The graph with these groups as they will be, in place of those of former names. */
function graphWith(all: readonly GraphGroup[], groups: readonly GroupItem[]): string {
  const byName = new Map(all.map((group) => [normalizeName(group.name), group]));
  for (const group of groups) byName.set(normalizeName(group.name), graphGroup.parse(group));
  const shown = [...byName.values()].filter(isInGraph).sort((a, b) => compareNames(a.name, b.name));
  return JSON.stringify(shown);
}

/**
 * The actions by which the graph follows changes of groups; none where it stays as it is. The condition fails when it has changed
 * since it is read here.
 *
 * @param former name of a group that gets another one
 */
export async function groupGraphActions(
  table: Table,
  groups: readonly GroupItem[],
  former?: string,
): Promise<Action[]> {
  const read = await readItem(table, groupGraphKey, groupGraphItem);
  const { version, groups: text } = read ?? EMPTY;
  const kept = parseGroups(text).filter(({ name }) => name !== former);
  const next = graphWith(kept, groups);
  if (next === text) return [];
  if (bytes(next) > MAX_GRAPH_BYTES) {
    throw errors.requestTooLarge(`${MAX_GRAPH_BYTES} bytes of groups in groups and expressions`);
  }
  const put = { ...groupGraphKey, version: version + 1, groups: next };
  return read === undefined
    ? [{ put, condition: ABSENT }]
    : [{ put, condition: 'version = :read', values: { ':read': version } }];
}

/** The graph of these groups, as it should be stored. */
export const expectedGraph = (groups: readonly GroupItem[]): string => graphWith([], groups);
