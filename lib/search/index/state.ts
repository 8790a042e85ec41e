import type { IndexedBug } from '../../bugs/change-log/indexed-bug.ts';
import { changedPartitions } from '../../table/keys.ts';
import { entriesIn, type Manifest, type SegmentEntry } from './repository.ts';
import type { IndexedSegment, SegmentFilter } from './view.ts';

/** Segments, as stored, of one instance: 39 bytes a bug, about 150 in memory. */
export const MAX_INDEX_BYTES = 120_000_000;

/** What is known of the bugs: the segments of a manifest, and what changed since. */
export interface State {
  manifest: Manifest;
  /** where in each partition of the change log reading goes on: sort keys, or times */
  since: string[];
  /** bugs that have to be read, with the change count that they have at least */
  unread: Map<number, number>;
  /** the bugs that changed since the segments of their ranges were written, by id */
  changed: Map<number, IndexedBug>;
  /** those that no segment has */
  unsaved: Set<number>;
  /** read units of bugs that had to be read */
  readUnits: number;
  /** the segments that were read */
  loaded: Map<string, IndexedSegment>;
}

/**
 * The state of a manifest, without changes.
 *
 * @param since where reading the change log begins
 * @param known has segments that it may share
 */
export function stateOf(manifest: Manifest, since: string, known: State | undefined): State {
  const ids = new Set(entriesIn(manifest).map(({ id }) => id));
  const shared = [...(known?.loaded ?? [])].filter(([id]) => ids.has(id));
  return {
    manifest,
    since: changedPartitions.map(() => since),
    unread: new Map(),
    changed: new Map(),
    unsaved: new Set(),
    readUnits: 0,
    loaded: new Map(
      shared.map(([id, { segment }]) => [id, { segment, hidden: new Uint8Array(segment.rows) }]),
    ),
  };
}

/** Notes a bug that changed. */
export function note(state: State, bug: IndexedBug): void {
  const known = state.changed.get(bug.id);
  if (known !== undefined && known.change_count >= bug.change_count) return;
  state.changed.set(bug.id, bug);
  state.unsaved.add(bug.id);
  if (known !== undefined) return;
  for (const loaded of loadedOf(state, bug.id)) hide(loaded, bug.id);
}

/** The segments that a filter takes. */
export const wantedOf = ({ manifest }: State, isWanted: SegmentFilter): SegmentEntry[] =>
  manifest.ranges.flatMap(({ open, closed }) => [
    ...(open !== undefined && isWanted(open, true) ? [open] : []),
    ...(closed !== undefined && isWanted(closed, false) ? [closed] : []),
  ]);

/** The loaded segments of the range of a bug. */
function loadedOf({ manifest, loaded }: State, id: number): IndexedSegment[] {
  const { open, closed } = manifest.ranges.findLast(({ from }) => from <= id) ?? {};
  return [open, closed].flatMap((entry) => (entry === undefined ? [] : (loaded.get(entry.id) ?? [])));
}

/** Whether a change of a bug is not known yet. */
export const isNews = (state: State, id: number, count: number): boolean =>
  count > (state.changed.get(id)?.change_count ?? loadedCount(state, id));

/** The change count of a bug in the segments that are loaded; -1: they do not have it. */
function loadedCount(state: State, id: number): number {
  for (const { segment } of loadedOf(state, id)) {
    const row = segment.rowOf(id);
    if (row !== undefined) return Number(segment.value(row, 'change_count'));
  }
  return -1;
}

/** Forgets segments that a search does not need, where there is no room for all. */
export function forgetOthers({ manifest, loaded }: State, wanted: readonly SegmentEntry[]): void {
  const isWanted = new Set(wanted.map(({ id }) => id));
  const kept = entriesIn(manifest).filter(({ id }) => isWanted.has(id) || loaded.has(id));
  if (isWithinMemory(kept)) return;
  for (const id of loaded.keys()) if (!isWanted.has(id)) loaded.delete(id);
}

export function hide({ segment, hidden }: IndexedSegment, id: number): void {
  const row = segment.rowOf(id);
  if (row !== undefined) hidden[row] = 1;
}

/** Whether an instance has room for segments. */
export const isWithinMemory = (entries: readonly SegmentEntry[]): boolean =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_INDEX_BYTES;
