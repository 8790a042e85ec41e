import type { BugItem } from '../../../lib/bugs/schema.ts';
import { isOpenStatus, STATUSES } from '../../../lib/bugs/workflow.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey } from '../../../lib/dynamodb/keys.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';

const findingOf = ({ id }: BugItem, violation: string): Finding => ({ item: keyText(bugKey(id)), violation });
const noteOf = (bug: BugItem, violation: string): Finding => ({ ...findingOf(bug, violation), isNote: true });

/**
 * The values of a bug agree with one another: status, resolution and duplicate; no dependency on itself; no negative
 * hours. Statuses that the workflow lacks and duplicates of missing bugs are notes, because an import may bring them.
 */
export const bugValuesCheck = (table: Table): Check => ({
  async scan(items) {
    const bugs = ofKind(items, kinds.bug).map(({ content }) => content);
    const originals = bugs.flatMap(({ dupe_of }) => dupe_of ?? []);
    const bugAt = await readKind(table, originals.map(bugKey), kinds.bug);
    return bugs.flatMap((bug) => [
      ...stateFindings(bug),
      ...(bug.dupe_of === null || bugAt(bugKey(bug.dupe_of)) !== undefined
        ? []
        : [noteOf(bug, `is a duplicate of bug ${bug.dupe_of}, which does not exist`)]),
      ...([...bug.blocks, ...bug.depends_on].includes(bug.id) ? [findingOf(bug, 'depends on itself')] : []),
      ...(Math.min(bug.estimated_time, bug.remaining_time) < 0 ? [findingOf(bug, 'has negative hours')] : []),
    ]);
  },
});

function stateFindings(bug: BugItem): Finding[] {
  const { status, resolution, dupe_of } = bug;
  if (!STATUSES.includes(status)) return [noteOf(bug, `has the status '${status}', which does not exist`)];
  const isOpen = isOpenStatus(status);
  return [
    ...(isOpen && resolution !== ''
      ? [findingOf(bug, `is ${status} with the resolution '${resolution}'`)]
      : []),
    ...(!isOpen && resolution === '' ? [findingOf(bug, `is ${status} without a resolution`)] : []),
    ...(resolution === 'DUPLICATE' && dupe_of === null
      ? [findingOf(bug, 'is DUPLICATE without a bug that it duplicates')]
      : []),
  ];
}

/** The address of a bug in a Bugzilla: its base, and the id. */
const BUG_ADDRESS = /^(.*\/)show_bug\.cgi\?id=(\d+)$/;

/**
 * Bugs of the deployment that refer to one another by `see_also` do so at both ends. Its address is not known here, so
 * that of a pair that does is taken for it. One-sided ones are notes: they stay where a user may not change the other bug.
 */
export function seeAlsoCheck(): Check {
  const ids = new Set<number>();
  const links = new Map<string, { base: string; from: number; to: number }>();
  const textOf = (base: string, from: number, to: number) => `${from} ${to} ${base}`;
  return {
    async scan(items) {
      for (const { content: bug } of ofKind(items, kinds.bug)) {
        ids.add(bug.id);
        for (const url of bug.see_also) {
          const [, base, id] = BUG_ADDRESS.exec(url) ?? [];
          const link = { base: base ?? '', from: bug.id, to: Number(id) };
          if (base !== undefined) links.set(textOf(base, bug.id, link.to), link);
        }
      }
      return [];
    },
    async finish() {
      const isMutual = ({ base, from, to }: { base: string; from: number; to: number }) =>
        links.has(textOf(base, to, from));
      const own = new Set([...links.values()].filter(isMutual).map(({ base }) => base));
      return [...links.values()]
        .filter((link) => own.has(link.base) && ids.has(link.to) && !isMutual(link))
        .map(({ from, to }) => ({
          item: keyText(bugKey(from)),
          violation: `has bug ${to} in see_also, which does not have it`,
          isNote: true,
        }));
    },
  };
}
