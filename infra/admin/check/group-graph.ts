import { normalizeName } from '../../../lib/base/text.ts';
import { RIGHTS } from '../../../lib/people/caller.ts';
import { compileExpression } from '../../../lib/people/group-expression.ts';
import { expectedGraph, graphOf, groupGraphItem } from '../../../lib/people/group-graph.ts';
import type { GroupItem, UserItem } from '../../../lib/people/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { groupGraphKey, groupKey } from '../../../lib/table/keys.ts';
import { readItem } from '../../../lib/table/read.ts';
import { ABSENT } from '../../../lib/table/write.ts';
import { type Check, type Finding, findingsOf, type Problem } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** Rights that 1.1 gave to members of `editcomponents`. */
const FORMERLY_OF_EDITORS = [RIGHTS.editKeywords, RIGHTS.readAudit];

/**
 * Who has these rights: where somebody edits products and nobody has one of them, this is a note. Memory holds the names of all
 * users.
 */
export function rightsCheck(): Check {
  const groups: GroupItem[] = [];
  const users: Pick<UserItem, 'login' | 'groups'>[] = [];
  return {
    async scan(items) {
      groups.push(...ofKind(items, kinds.group).map(({ content }) => content));
      const found = ofKind(items, kinds.user).filter(({ content }) => content.disabled === undefined);
      users.push(...found.map(({ content: { login, groups } }) => ({ login, groups })));
      return [];
    },
    async finish() {
      const graph = await graphOf(groups);
      const held = new Set(users.flatMap((user) => graph.withAllGroups(user).groups.map(normalizeName)));
      if (!held.has(RIGHTS.editComponents.group)) return [];
      return FORMERLY_OF_EDITORS.filter(({ group }) => !held.has(group)).flatMap(({ group, allows }) => {
        const violation = `has no members, so nobody can ${allows}: npm run admin -- user change LOGIN --group ${group}`;
        return findingsOf(groupKey(group), [{ violation, isNote: true }]);
      });
    },
  };
}

/**
 * The graph has every group with what decides who is in it: an earlier version may have changed an expression. Expressions that
 * RE2 does not understand are notes.
 */
export function groupGraphCheck(table: Table): Check {
  const groups: GroupItem[] = [];
  return {
    async scan(items) {
      const found = ofKind(items, kinds.group).map(({ content }) => content);
      groups.push(...found);
      return (await Promise.all(found.map(expressionFindings))).flat();
    },
    async finish() {
      const read = await readItem(table, groupGraphKey, groupGraphItem);
      const expected = expectedGraph(groups);
      if ((read?.groups ?? '[]') === expected) return [];
      const put = { ...groupGraphKey, version: (read?.version ?? 0) + 1, groups: expected };
      const guard =
        read === undefined
          ? { condition: ABSENT }
          : { condition: 'version = :read', values: { ':read': read.version } };
      const violation =
        'differs from the groups: their expressions, the groups in them, or whether they are active, have no effect';
      // An earlier version has none.
      const isNote = read === undefined;
      return findingsOf(groupGraphKey, [{ violation, isNote, repair: [{ put, ...guard }] }]);
    },
  };
}

async function expressionFindings({ name, user_regexp = '' }: GroupItem): Promise<Finding[]> {
  const isUnderstood = user_regexp === '' || (await compileExpression(user_regexp)) !== undefined;
  const violation = `has the expression ${user_regexp}, which RE2 does not understand: nobody is a member by it`;
  const problem: Problem = !isUnderstood && { violation, isNote: true };
  return findingsOf(groupKey(name), [problem]);
}
