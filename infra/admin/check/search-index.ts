import { isDeepStrictEqual } from 'node:util';
import { RetriesExhausted } from '../../../lib/base/retry.ts';
import { timestamp } from '../../../lib/base/time.ts';
import {
  ATTRIBUTES,
  type IndexedBug,
  indexedBugOf,
  indexedValue,
  storedIn,
} from '../../../lib/bugs/change-log/indexed-bug.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { putBugActions } from '../../../lib/bugs/store/write-bug.ts';
import { BugzillaError, errors } from '../../../lib/errors.ts';
import { openBugIndex } from '../../../lib/search/index/bug-index.ts';
import { SegmentsReplaced } from '../../../lib/search/index/load-segments.ts';
import type { Segment } from '../../../lib/search/index/segment.ts';
import type { BugIndexView } from '../../../lib/search/index/view.ts';
import type { Table } from '../../../lib/table/client.ts';
import { bugKey, keyText, searchManifestKey, segmentKey } from '../../../lib/table/keys.ts';
import { anyItem, readItems } from '../../../lib/table/read.ts';
import { type Check, datedRepair, type Finding, isRecent, type Repair } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';

/**
 * The search index has each bug as it is, and no other. What differs is looked at again at the end of the scan, since
 * bugs change meanwhile.
 */
export function searchIndexCheck(table: Table): Check {
  const { now } = table;
  const bugs = bugRepository(table, now);
  const openIndex = (mayWrite: boolean) => openBugIndex(table, bugs, now, mayWrite);
  const readIndex = async () => lookup(await openIndex(false).read(() => true));
  let index: Promise<Lookup | undefined> | undefined;
  const suspects = new Set<number>();
  /** when each segment was written, by id */
  const written = new Map<string, string>();

  const rebuild: Repair = async () => {
    await openIndex(true).rebuild();
    return undefined;
  };

  /** The finding about an index that cannot be read. That it is behind is none of its faults: the next search goes on. */
  function unreadable(error: unknown): Finding {
    ignoreDamage(error);
    const item = keyText(searchManifestKey);
    if (error instanceof BugzillaError && error.name === BEHIND) {
      return { item, violation: 'does not have all changes yet', isNote: true, repair: rebuild };
    }
    return { item, violation: `cannot be read: ${String(error)}`, repair: rebuild };
  }

  return {
    async scan(items) {
      index ??= readIndex().catch(ignoreDamage);
      const known = await index;
      for (const { content: bug } of ofKind(items, kinds.bug)) {
        if (known !== undefined && !known.isSame(bug)) suspects.add(bug.id);
      }
      for (const { key, content } of ofKind(items, kinds.segment)) written.set(key.pk, content.written);
      return [];
    },

    async finish() {
      const before = await index;
      for (const id of before?.unseen() ?? []) suspects.add(id);
      const keys = [...suspects].map(bugKey);
      // The index is read after the bugs, so that it is not older than they are.
      const storedAt = await readKind(table, keys, kinds.bug);
      let known: Lookup;
      try {
        known = await readIndex();
      } catch (error) {
        return [unreadable(error)];
      }
      const exists = new Set((await readItems(table, keys, anyItem)).map(({ pk }) => pk));
      const findings = [...suspects].flatMap((id): Finding[] => {
        const bug = storedAt(bugKey(id));
        if (bug === undefined) {
          const isLost = known.has(id) && !exists.has(bugKey(id).pk);
          const violation = `has bug ${id}, which does not exist`;
          return isLost ? [{ item: keyText(searchManifestKey), violation, repair: rebuild }] : [];
        }
        if (known.isSame(bug)) return [];
        const next = { ...bug, revision: bug.revision + 1 };
        return [
          {
            item: keyText(bugKey(id)),
            violation: 'differs from what the search index has of it',
            repair: datedRepair((time) => putBugActions(bug, next, time)),
          },
        ];
      });
      const since = await openIndex(false).since();
      if (since > timestamp(table.now())) {
        const violation = `is of ${since.slice(0, 20)}, which has not come: what is written until then is not found`;
        findings.push({ item: keyText(searchManifestKey), violation, repair: rebuild });
      }
      const named = new Set((await openIndex(false).segmentIds()).map((id) => segmentKey(id).pk));
      const leftover = [...written].filter(([pk, since]) => !named.has(pk) && !isRecent(since));
      return [
        ...findings,
        ...leftover.map(([pk]): Finding => {
          const key = { pk, sk: segmentKey('').sk };
          return { item: keyText(key), violation: 'belongs to no search index', repair: [{ remove: key }] };
        }),
      ];
    },
  };
}

const BEHIND = errors.searchIndexBehind().name;

/** What cannot be decoded is found at the end of the scan; an outage is none of the index. */
function ignoreDamage(error: unknown): undefined {
  if (error instanceof RetriesExhausted && !(error instanceof SegmentsReplaced)) throw error;
  return undefined;
}

interface Lookup {
  has(id: number): boolean;
  /** whether the index has a bug as it is, or a later version of it */
  isSame(bug: BugItem): boolean;
  /** the bugs that `isSame` was not asked for */
  unseen(): Iterable<number>;
}

/** Finds bugs in a view of the search index by id. */
function lookup({ segments, others }: BugIndexView): Lookup {
  const changed = new Map([...others].map((bug) => [bug.id, bug]));
  const unseenChanged = new Set(changed.keys());
  const ordered = segments
    .map(({ segment, hidden }) => ({ segment, hidden, isSeen: new Uint8Array(segment.rows) }))
    .sort((a, b) => a.segment.idOf(0) - b.segment.idOf(0));
  const entryOf = (id: number) => {
    // A range has at most two segments.
    const last = ordered.findLastIndex(({ segment }) => segment.idOf(0) <= id);
    for (const one of [ordered[last], ordered[last - 1]]) {
      const row = one?.segment.rowOf(id);
      if (one !== undefined && row !== undefined && one.hidden[row] !== 1) return { ...one, row };
    }
    return undefined;
  };
  return {
    has: (id) => changed.has(id) || entryOf(id) !== undefined,
    isSame(bug) {
      unseenChanged.delete(bug.id);
      const expected = indexedBugOf(bug);
      const recent = changed.get(bug.id);
      if (recent !== undefined) {
        return recent.change_count > expected.change_count || isSameBug(recent, expected);
      }
      const entry = entryOf(bug.id);
      if (entry === undefined) return false;
      entry.isSeen[entry.row] = 1;
      const count = Number(entry.segment.value(entry.row, 'change_count'));
      if (count > expected.change_count) return true;
      const names = [...ATTRIBUTES.filter((name) => name !== 'custom'), ...Object.keys(bug.custom)];
      return names.every((name) => isEqual(entry.segment, entry.row, name, storedIn(expected, name)));
    },
    *unseen() {
      yield* unseenChanged;
      for (const { segment, hidden, isSeen } of ordered) {
        for (let row = 0; row < segment.rows; row += 1) {
          if (hidden[row] !== 1 && isSeen[row] !== 1) yield segment.idOf(row);
        }
      }
    },
  };
}

/** Whether the index has a bug as it is, as far as values are not left out. */
function isSameBug(known: IndexedBug, expected: IndexedBug): boolean {
  const names = [
    ...ATTRIBUTES.filter((name) => name !== 'custom'),
    ...Object.keys({ ...known.custom, ...expected.custom }),
  ];
  return names.every((name) => {
    const value = indexedValue(known, name);
    return value === undefined || isDeepStrictEqual(value, storedIn(expected, name));
  });
}

function isEqual(segment: Segment, row: number, name: string, expected: unknown): boolean {
  const value = segment.value(row, name);
  return value === undefined || isDeepStrictEqual(value, expected);
}
