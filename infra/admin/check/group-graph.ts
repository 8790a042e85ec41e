import { compileExpression } from '../../../lib/people/group-expression.ts';
import { expectedGraph, groupGraphItem } from '../../../lib/people/group-graph.ts';
import type { GroupItem } from '../../../lib/people/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { groupGraphKey, groupKey } from '../../../lib/table/keys.ts';
import { readItem } from '../../../lib/table/read.ts';
import { type Check, type Finding, findingsOf, note } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

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
      const violation =
        'differs from the groups: their expressions, the groups in them, or whether they are active, have no effect';
      // An earlier version has none.
      const isNote = read === undefined;
      return findingsOf(groupGraphKey, [
        { violation, isNote, repair: [{ put, ...kinds.groupGraph.unchanged(read) }] },
      ]);
    },
  };
}

async function expressionFindings({ name, user_regexp = '' }: GroupItem): Promise<Finding[]> {
  if (user_regexp === '' || (await compileExpression(user_regexp)) !== undefined) return [];
  return findingsOf(groupKey(name), [
    note(`has the expression ${user_regexp}, which RE2 does not understand: nobody is a member by it`),
  ]);
}
