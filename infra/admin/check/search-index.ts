import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../../../lib/base/collections.ts';
import { timestamp } from '../../../lib/base/time.ts';
import { ATTRIBUTES, indexedBugOf, storedIn } from '../../../lib/bugs/change-log/indexed-bug.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { BugzillaError, errors } from '../../../lib/errors.ts';
import { openBugIndex } from '../../../lib/search/index/bug-index.ts';
import { SegmentsReplaced } from '../../../lib/search/index/load-segments.ts';
import { bugsOf, type IndexedValues } from '../../../lib/search/index/view.ts';
import type { Table } from '../../../lib/table/client.ts';
import { bugKey, searchManifestKey, segmentKey } from '../../../lib/table/keys.ts';
import { RetriesExhausted } from '../../../lib/table/retry.ts';
import {
  type Check,
  type Finding,
  findingsOf,
  isRecent,
  type Problem,
  type Repair,
  rewriteBug,
} from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';

/** In one finding. */
const MAX_NAMED_BUGS = 10;
const MAX_REWRITTEN_BUGS = 1_000;

/**
 * The search index has each bug as it is, and no other. What differs is looked at again at the end of the scan, since
 * bugs change meanwhile. The index follows from the change log, of which it is written anew.
 */
export function searchIndexCheck(table: Table): Check {
  const { now } = table;
  const openIndex = (mayWrite: boolean) => openBugIndex(table, bugRepository(table, now), now, mayWrite);
  const readIndex = async () =>
    new Map([...bugsOf(await openIndex(false).read(() => true))].map((bug) => [bug.id, bug]));
  /** of the begin, without the bugs that were scanned; undefined: it is damaged */
  let index: Promise<Map<number, IndexedValues> | undefined> | undefined;
  const suspects = new Set<number>();
  /** when each segment was written, by id */
  const written = new Map<string, string>();
  const rebuild: Repair = () =>
    openIndex(true)
      .rebuild()
      .then(() => undefined);

  /** Bugs are written, so that the index follows; it is written anew where it has some that are lost, or many others. */
  const rewrite =
    (bugs: (BugItem | undefined)[]): Repair =>
    async (...at) => {
      const known = bugs.filter((bug) => bug !== undefined);
      if (known.length < bugs.length || bugs.length > MAX_REWRITTEN_BUGS) return rebuild(...at);
      const stale = await mapConcurrent(known, (bug) => rewriteBug(bug)(...at));
      return stale.find((one) => one !== undefined);
    };

  async function indexProblems(): Promise<Problem[]> {
    for (const id of (await index)?.keys() ?? []) suspects.add(id);
    // The index is read after the bugs, so that it is not older than they are.
    const storedAt = await readKind(table, [...suspects].map(bugKey), kinds.bug);
    const known = await readIndex();
    const since = await openIndex(false).since();
    const stored = [...suspects].map((id) => ({ id, bug: storedAt(bugKey(id)) }));
    const differing = stored.filter(({ id, bug }) =>
      bug === undefined ? known.has(id) : !isSame(known.get(id), bug),
    );
    const named = differing.slice(0, MAX_NAMED_BUGS).map(({ id }) => id);
    return [
      differing.length > 0 && {
        violation: `has bugs otherwise than they are, ${differing.length} in number: ${named.join(', ')}`,
        repair: rewrite(differing.map(({ bug }) => bug)),
      },
      since > timestamp(now()) && {
        violation: `is of ${since.slice(0, 20)}, which has not come: what is written until then is not found`,
        repair: rebuild,
      },
    ];
  }

  /** Segments of a run that was interrupted. */
  async function leftovers(): Promise<Finding[]> {
    const named = new Set((await openIndex(false).segmentIds()).map((id) => segmentKey(id).pk));
    const violation = 'belongs to no search index';
    return [...written].flatMap(([pk, since]) => {
      const key = { pk, sk: segmentKey('').sk };
      const isLeft = !named.has(pk) && !isRecent(since);
      return findingsOf(key, [isLeft && { violation, repair: [{ remove: key }] }]);
    });
  }

  return {
    async scan(items) {
      index ??= readIndex().catch(ignoreDamage);
      const known = await index;
      for (const { content: bug } of ofKind(items, kinds.bug)) {
        if (known !== undefined && !isSame(known.get(bug.id), bug)) suspects.add(bug.id);
        known?.delete(bug.id);
      }
      for (const { key, content } of ofKind(items, kinds.segment)) written.set(key.pk, content.written);
      return [];
    },

    async finish() {
      try {
        return [...findingsOf(searchManifestKey, await indexProblems()), ...(await leftovers())];
      } catch (error) {
        ignoreDamage(error);
        const isBehind = error instanceof BugzillaError && error.name === errors.searchIndexBehind().name;
        // The next search goes on.
        const violation = isBehind ? 'does not have all changes yet' : `cannot be read: ${String(error)}`;
        return findingsOf(searchManifestKey, [{ violation, isNote: isBehind, repair: rebuild }]);
      }
    },
  };
}

/** What cannot be decoded is found at the end of the scan; an outage is none of the index. */
function ignoreDamage(error: unknown): undefined {
  if (error instanceof RetriesExhausted && !(error instanceof SegmentsReplaced)) throw error;
  return undefined;
}

/** Whether the index has a bug as it is, as far as it has its values, or a later version of it. */
function isSame(entry: IndexedValues | undefined, bug: BugItem): boolean {
  if (entry === undefined) return false;
  const expected = indexedBugOf(bug);
  if (Number(entry.value('change_count')) > expected.change_count) return true;
  const names = [...ATTRIBUTES.filter((name) => name !== 'custom'), ...Object.keys(bug.custom)];
  return names.every((name) => {
    const value = entry.value(name);
    return value === undefined || isDeepStrictEqual(value, storedIn(expected, name));
  });
}
