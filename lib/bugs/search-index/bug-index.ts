import type { Table } from '../../dynamodb/client.ts';
import { withoutBound } from '../../dynamodb/consumption.ts';
import { beforeDeadline, deadline, withFreshDeadline } from '../../dynamodb/deadline.ts';
import { readUnits, sizeOf } from '../../dynamodb/item-size.ts';
import { bugOfChangeKey, changedPartitions, changedRange } from '../../dynamodb/keys.ts';
import { pacer } from '../../dynamodb/pacer.ts';
import { readPages, withKey } from '../../dynamodb/read.ts';
import { RetriesExhausted } from '../../dynamodb/retry.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { portions } from '../../portions.ts';
import { timestamp } from '../../time.ts';
import { bugOfChange, changeItem } from '../change-log/change-log.ts';
import { type IndexedBug, indexedBugOf, indexedValue } from '../change-log/indexed-bug.ts';
import type { StoredValue } from '../fields/kinds.ts';
import type { BugRepository } from '../store/repository.ts';
import { EMPTY, entriesIn, type Manifest, type SegmentEntry, searchIndexRepository } from './repository.ts';
import { decodeSegment, type Segment } from './segment.ts';
import { mergeRanges, segmentsOf } from './write-segments.ts';

/** Entries of the change log that are read before what they say is written to segments. */
const MAX_CHANGES = 20_000;
/** Changed bugs that a search leaves to other instances as segments. */
const MAX_UNSAVED = 500;
/** The same, of read units for bugs whose entries of version 1.1.0 have no values because they are long. */
const MAX_UNSAVED_UNITS = 500;
/** Changed bugs that stay beside the segments of their ranges, and the ranges that one search merges them into. */
const MAX_RECENT = 2_000;
const MAX_MERGED_RANGES = 4;
/** The same of a search that has read MAX_CHANGES. */
const MANY_MERGED_RANGES = 64;
/** Of the time of a search, that saving for others may take. */
const SAVING_SHARE = 1 / 4;
/** Segments, as stored, of one instance: 39 bytes a bug, about 150 in memory. */
const MAX_BYTES = 120_000_000;
/** Of segments that one call reads. */
const MAX_CALL_BYTES = 4_000_000;
/** Bytes that half a read unit reads, eventually consistent. */
const UNIT_BYTES = 8_192;
/** Half of what DynamoDB's tables have by default: others can read meanwhile. */
const READ_UNITS_PER_SECOND = 2_000;
/** Beside the retry budget: what a last attempt of the operator's commands takes, and a difference of clocks. */
const MARGIN_MS = 20_000;
/** After a save whose outcome is unknown. */
const SAVE_AGAIN_MS = 60_000;
/** Changed bugs that an instance keeps in memory where it may not save them. */
const MAX_CHANGED = 200_000;
/** Manifests that a search reads because segments are replaced meanwhile. */
const MAX_ATTEMPTS = 5;

const keyedChange = withKey(changeItem);

/** Which segments a search needs. */
export type SegmentFilter = (segment: SegmentEntry, isOpen: boolean) => boolean;

/** The bugs of some segments, and those that changed since these were written. */
export interface BugIndexView {
  segments: readonly IndexedSegment[];
  /** bugs that are in no segment, or changed since */
  others: Iterable<IndexedBug>;
}

/** A segment, without the bugs that changed since. */
export interface IndexedSegment {
  segment: Segment;
  /** by row: 1 where the bug is among the others */
  hidden: Uint8Array;
}

/** What is known of the bugs: the segments of a manifest, and what changed since. */
interface State {
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

export type BugIndex = ReturnType<typeof openBugIndex>;

/**
 * The search index, remembered between requests. Each search brings it up to date by the change log, so that it finds
 * what was written before it began: lib/dynamodb/README.md says why.
 *
 * @param mayWrite whether searches leave what they read to others as segments
 */
export function openBugIndex(
  table: Table,
  bugs: Pick<BugRepository, 'read'>,
  now: () => Date,
  mayWrite: boolean,
) {
  const repository = searchIndexRepository(table, now);
  const pace = pacer(READ_UNITS_PER_SECOND);
  const overlap = table.retryTimeoutMs + MARGIN_MS;
  let current: Promise<State> | undefined;
  let readingBugs: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  /** the time (in ms) from which changes may be saved */
  let saveAgain = 0;
  /** of segments that are being read */
  const reading = new Map<string, Promise<unknown>>();

  /**
   * Begins work that all requests wait for: it goes on when this one ends, within a time of its own, and counts to no bound of
   * a request.
   */
  function begin<T>(work: () => Promise<T>, timeoutMs = table.retryTimeoutMs): Promise<T> {
    const isUnlimited = deadline() === Number.POSITIVE_INFINITY;
    const begun = withoutBound(() => (isUnlimited ? work() : withFreshDeadline(timeoutMs, work)));
    // Perhaps nobody waits for it any more.
    begun.catch(() => undefined);
    return begun;
  }

  const late = () => new RetriesExhausted('The search index was not read before the deadline');

  /** The state that the last search left, or that of the manifest. */
  function open(): Promise<State> {
    current ??= begin(() => adopt(undefined)).catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return beforeDeadline(current, late);
  }

  /** A state of the current manifest. @param known has segments that it may share */
  async function adopt(known: State | undefined): Promise<State> {
    const manifest = await repository.readManifest();
    const state = stateOf(manifest, known);
    const recent = await repository.readSegments(manifest.recent.map(({ id }) => id));
    if (recent.size < manifest.recent.length) throw new SegmentsReplaced();
    const changed = bugsIn([...recent.values()].map(decodeSegment));
    for (const bug of changed.bugs) note(state, bug);
    state.unsaved.clear();
    for (const id of changed.unknown) state.unread.set(id, Number.POSITIVE_INFINITY);
    return state;
  }

  function stateOf(manifest: Manifest, known: State | undefined): State {
    const ids = new Set(entriesIn(manifest).map(({ id }) => id));
    const shared = [...(known?.loaded ?? [])].filter(([id]) => ids.has(id));
    return {
      manifest,
      since: changedPartitions.map(() => reached(manifest.since)),
      unread: new Map(),
      changed: new Map(),
      unsaved: new Set(),
      readUnits: 0,
      loaded: new Map(
        shared.map(([id, { segment }]) => [id, { segment, hidden: new Uint8Array(segment.rows) }]),
      ),
    };
  }

  /**
   * Where reading the change log begins. A manifest that was written by a clock that was ahead may name a time that has not
   * come: what is written until then has to be found, too.
   */
  function reached(since: string): string {
    const latest = timestamp(new Date(now().getTime() - 2 * overlap));
    return since < latest ? since : latest;
  }

  /** Reads bugs at the pace of the index. */
  const readBugs = (ids: readonly number[], onRead: (bugs: IndexedBug[]) => void): Promise<void> =>
    bugs.read(
      new Map(ids.map((id) => [id, undefined])),
      (read) => onRead(read.map((bug) => ({ ...indexedBugOf(bug), units: readUnits(sizeOf(bug)) }))),
      pace,
    );

  /** Reads segments that a state lacks. What was read before the deadline is kept. @throws SegmentsReplaced */
  async function load(state: State, wanted: readonly SegmentEntry[]): Promise<void> {
    const missing = wanted.filter(({ id }) => !state.loaded.has(id) && !reading.has(id));
    const others = wanted.flatMap(({ id }) => reading.get(id) ?? []);
    const calls = [...portions(missing, { max: MAX_CALL_BYTES, sizeOf: ({ bytes }) => bytes })];
    const own = begin(() => mapConcurrent(calls, (entries) => loadTogether(state, entries), 2));
    for (const { id } of missing) reading.set(id, own);
    const done = () => {
      for (const { id } of missing) reading.delete(id);
    };
    own.then(done, done);
    await beforeDeadline(Promise.all([own, ...others]), late);
    if (!wanted.every(({ id }) => state.loaded.has(id))) throw new SegmentsReplaced();
  }

  async function loadTogether(state: State, entries: readonly SegmentEntry[]): Promise<void> {
    await pace.take(entries.reduce((sum, { bytes }) => sum + Math.ceil(bytes / UNIT_BYTES), 0));
    const ids = entries.map(({ id }) => id);
    const found = await repository.readSegments(ids, () => pace.slowDown());
    for (const [id, data] of found) {
      const segment = decodeSegment(data);
      const hidden = new Uint8Array(segment.rows);
      for (const changed of state.changed.keys()) hide({ segment, hidden }, changed);
      state.loaded.set(id, { segment, hidden });
    }
  }

  /** Notes a bug that changed. */
  function note(state: State, bug: IndexedBug): void {
    const known = state.changed.get(bug.id);
    if (known !== undefined && known.change_count >= bug.change_count) return;
    state.changed.set(bug.id, bug);
    state.unsaved.add(bug.id);
    if (known !== undefined) return;
    for (const loaded of loadedOf(state, bug.id)) hide(loaded, bug.id);
  }

  /** Reads what changed since the state was current. What was read before an error is kept. @returns false: there is more */
  async function catchUp(state: State): Promise<boolean> {
    const until = timestamp(new Date(now().getTime() - overlap));
    const areRead = await withoutBound(() =>
      mapConcurrent(changedPartitions, (_, shard) => readChanges(state, shard, until)),
    );
    await readUnread(state);
    return areRead.every((isRead) => isRead);
  }

  /** Reads the bugs whose entries do not say enough, also those that other searches find meanwhile; what is read is kept. */
  async function readUnread(state: State): Promise<void> {
    while (state.unread.size > 0) {
      readingBugs ??= begin(() => readSomeUnread(state)).finally(() => {
        readingBugs = undefined;
      });
      await beforeDeadline(readingBugs, late);
    }
  }

  async function readSomeUnread(state: State): Promise<void> {
    const unread = new Map(state.unread);
    const isRead = (id: number) => {
      if (state.unread.get(id) === unread.get(id)) state.unread.delete(id);
    };
    const news = [...unread].filter(([id, count]) => isNews(state, id, count)).map(([id]) => id);
    await readBugs(news, (read) => {
      for (const bug of read) {
        note(state, bug);
        state.readUnits += bug.units ?? 0;
        isRead(bug.id);
      }
    });
    // Some are known meanwhile, or do not exist.
    for (const id of unread.keys()) isRead(id);
  }

  /** @returns false: there is more */
  async function readChanges(state: State, shard: number, until: string): Promise<boolean> {
    const advance = (place: string) => {
      if (place > (state.since[shard] ?? '')) state.since[shard] = place;
    };
    const range = { pk: changedPartitions[shard] ?? '', ...changedRange(state.since[shard] ?? '') };
    let count = 0;
    for await (const page of readPages(table, range, keyedChange, { pacer: pace })) {
      for (const item of page) {
        const id = bugOfChangeKey(item);
        const { change_count = Number.POSITIVE_INFINITY } = item;
        if (!isNews(state, id, change_count)) continue;
        const bug = bugOfChange(id, item);
        // The entry that superseded this one may follow.
        if (bug === undefined) state.unread.set(id, Math.max(change_count, state.unread.get(id) ?? 0));
        else note(state, bug);
      }
      const last = page.at(-1);
      if (last === undefined) continue;
      advance(last.sk < until ? last.sk : until);
      count += page.length;
      // What may be followed by earlier entries is read to its end.
      if (count > MAX_CHANGES / changedPartitions.length && last.sk < until) return false;
    }
    advance(until);
    return true;
  }

  /**
   * Writes what changed to segments, and replaces the manifest. Of two that do this at once one prevails, and the other
   * goes on with what that has written.
   *
   * @param maxRanges how many ranges get the changes of their bugs; the changes of others stay beside them
   * @returns the state of the new manifest
   */
  async function save(state: State, maxRanges: number): Promise<State> {
    await readUnread(state);
    // Other searches note changes meanwhile, which are in the log after this time.
    const [since = '', changed] = [state.since.toSorted()[0], new Map(state.changed)];
    const latest = await repository.readManifest();
    if (latest.edition !== state.manifest.edition) return adopt(state);
    const isSmall = changed.size <= MAX_RECENT && maxRanges <= MAX_MERGED_RANGES;
    const { ranges, rest } = await mergeRanges(state.manifest.ranges, changed, isSmall ? 0 : maxRanges, {
      add: repository.addSegment,
      async read(entries) {
        await load(state, entries);
        const stored = bugsIn(entries.flatMap(({ id }) => state.loaded.get(id)?.segment ?? []));
        await readBugs(stored.unknown, (read) => stored.bugs.push(...read));
        return stored.bugs;
      },
    });
    const next = { since, ranges, recent: await segmentsOf(rest, repository.addSegment) };
    const replaced = await repository.replaceManifest(state.manifest, next);
    const before = entriesIn(state.manifest);
    if (replaced === undefined) {
      const other = await adopt(state);
      await repository.removeSegments(without(entriesIn(next), [...before, ...entriesIn(other.manifest)]));
      return other;
    }
    await repository.removeSegments(without(before, entriesIn(next)));
    const result = stateOf(replaced, state);
    for (const bug of rest) note(result, bug);
    result.unsaved.clear();
    return result;
  }

  /** Saves a state, unless that is being done. */
  function saveOnce(state: State, maxRanges: number, savingMs = table.retryTimeoutMs): Promise<void> {
    saving ??= begin(() => save(state, maxRanges), savingMs)
      .then((saved) => {
        current = Promise.resolve(saved);
      })
      .catch((error: unknown) => {
        saveAgain = now().getTime() + SAVE_AGAIN_MS;
        throw error;
      })
      .finally(() => {
        saving = undefined;
      });
    saving.catch(() => undefined);
    return beforeDeadline(saving, late);
  }

  /** The state with the segments that a filter takes, brought up to date; many changes are left to other instances. */
  async function currentState(isWanted: SegmentFilter): Promise<State> {
    for (;;) {
      const state = await open();
      const wanted = wantedOf(state, isWanted);
      if (bytesOf(wanted) > MAX_BYTES) throw errors.searchTooBroad(`${MAX_BYTES / 1_000_000} MB of bugs`);
      forgetOthers(state, wanted);
      await load(state, wanted);
      const isCurrent = await catchUp(state);
      const isMuch = state.unsaved.size > MAX_UNSAVED || state.readUnits > MAX_UNSAVED_UNITS;
      const isDue = mayWrite && isMuch && now().getTime() >= saveAgain;
      if (isCurrent && !isDue) return state;
      if (isCurrent) {
        // What was found is right, whether it can be saved or not.
        const timeoutMs = table.retryTimeoutMs * SAVING_SHARE;
        await saveOnce(state, MAX_MERGED_RANGES, timeoutMs).catch(() => undefined);
        return state;
      }
      if (!mayWrite && state.changed.size > MAX_CHANGED) throw errors.searchIndexBehind();
      if (Date.now() > deadline())
        throw new RetriesExhausted('The change log was not read before the deadline');
      if (mayWrite) await saveOnce(state, MANY_MERGED_RANGES);
    }
  }

  /** Repeats work that finds segments replaced, with the current manifest. */
  async function retryReplaced<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SegmentsReplaced) || attempt === MAX_ATTEMPTS) throw error;
        current = undefined;
      }
    }
  }

  /**
   * Writes everything that changed to the segments: after many bugs were written.
   *
   * @param maxUnsaved changed bugs that are left to the change log
   */
  const complete = (maxUnsaved = MAX_UNSAVED): Promise<void> =>
    retryReplaced(async () => {
      for (let isCurrent = false; !isCurrent; ) {
        const state = await open();
        isCurrent = await catchUp(state);
        if (!isCurrent || state.unsaved.size > maxUnsaved) await saveOnce(state, Number.POSITIVE_INFINITY);
      }
    });

  return {
    /**
     * The bugs of the segments that a filter takes, none of them older than the begin of the call, and of all others that
     * changed since these were written.
     *
     * @throws RetriesExhausted
     */
    async read(isWanted: SegmentFilter): Promise<BugIndexView> {
      return retryReplaced(async () => {
        const state = await currentState(isWanted);
        const wanted = wantedOf(state, isWanted);
        const segments = wanted.flatMap(({ id }) => state.loaded.get(id) ?? []);
        // Another search may have needed their room.
        if (segments.length < wanted.length) throw new SegmentsReplaced();
        return { segments, others: state.changed.values() };
      });
    },

    /** Which segments there are: their ids. */
    segmentIds: async (): Promise<string[]> => entriesIn(await repository.readManifest()).map(({ id }) => id),

    /** From where on reading the change log goes: a sort key that begins with a time, or a time. */
    since: async (): Promise<string> => (await repository.readManifest()).since,

    /** Writes all segments anew, by the change log: where they are damaged, or of another version. */
    async rebuild(): Promise<void> {
      const replaceOnce = async () => {
        const manifest = await repository.readManifest().catch(() => repository.emptyManifest());
        const isReplaced = (await repository.replaceManifest(manifest, EMPTY)) !== undefined;
        return isReplaced ? manifest : undefined;
      };
      // Another process may save at the same time.
      const manifest = (await replaceOnce()) ?? (await replaceOnce());
      if (manifest === undefined) throw new SegmentsReplaced();
      await repository.removeSegments(entriesIn(manifest).map(({ id }) => id));
      current = undefined;
      await complete(0);
    },

    complete,
  };
}

/** The bugs of segments, and the ids of those that have to be read. */
function bugsIn(segments: readonly Segment[]): { bugs: IndexedBug[]; unknown: number[] } {
  const bugs: IndexedBug[] = [];
  const unknown: number[] = [];
  for (const segment of segments) {
    for (let row = 0; row < segment.rows; row += 1) {
      const bug = segment.bug(row);
      if (bug === undefined) unknown.push(segment.idOf(row));
      else bugs.push(bug);
    }
  }
  return { bugs, unknown };
}

/** What the index has of a bug. */
export interface IndexedValues {
  id: number;
  /** The value of an attribute, as `indexedAttribute` names it; undefined: the bug has to be read. */
  value(attribute: string): StoredValue | undefined;
}

/** All bugs of a view. */
export function* bugsOf({ segments, others }: BugIndexView): Generator<IndexedValues> {
  for (const { segment, hidden } of segments) {
    for (let row = 0; row < segment.rows; row += 1) {
      if (hidden[row] === 1) continue;
      yield { id: segment.idOf(row), value: (attribute) => segment.value(row, attribute) };
    }
  }
  for (const bug of others) yield { id: bug.id, value: (attribute) => indexedValue(bug, attribute) };
}

/** Segments that a manifest names do not exist any more, because another manifest replaces it, or they are lost. */
export class SegmentsReplaced extends RetriesExhausted {
  override name = 'SegmentsReplaced';

  constructor() {
    super('Segments of the search index were replaced while they were read');
  }
}

const bytesOf = (entries: readonly SegmentEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0);

/** The ids of the segments of a list that another one does not have. */
function without(some: readonly SegmentEntry[], others: readonly SegmentEntry[]): string[] {
  const kept = new Set(others.map(({ id }) => id));
  return some.map(({ id }) => id).filter((id) => !kept.has(id));
}

/** The segments that a filter takes. */
const wantedOf = ({ manifest }: State, isWanted: SegmentFilter): SegmentEntry[] =>
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
const isNews = (state: State, id: number, count: number): boolean =>
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
function forgetOthers({ manifest, loaded }: State, wanted: readonly SegmentEntry[]): void {
  const isWanted = new Set(wanted.map(({ id }) => id));
  const kept = entriesIn(manifest).filter(({ id }) => isWanted.has(id) || loaded.has(id));
  if (bytesOf(kept) <= MAX_BYTES) return;
  for (const id of loaded.keys()) if (!isWanted.has(id)) loaded.delete(id);
}

function hide({ segment, hidden }: IndexedSegment, id: number): void {
  const row = segment.rowOf(id);
  if (row !== undefined) hidden[row] = 1;
}
