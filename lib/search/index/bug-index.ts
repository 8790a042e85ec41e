import { timestamp } from '../../base/time.ts';
import { type IndexedBug, indexedBugOf } from '../../bugs/change-log/indexed-bug.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { readUnits, sizeOf } from '../../table/consumption.ts';
import { type Pacer, pacer } from '../../table/pacer.ts';
import { beforeDeadline, deadline, RetriesExhausted } from '../../table/retry.ts';
import { changeReader } from './catch-up.ts';
import { SegmentsReplaced, segmentLoader } from './load-segments.ts';
import { EMPTY, entriesIn, type SegmentEntry, searchIndexRepository } from './repository.ts';
import { decodeSegment, type Segment } from './segment.ts';
import { beginShared, late } from './shared-work.ts';
import {
  forgetOthers,
  isWithinMemory,
  MAX_INDEX_BYTES,
  note,
  type State,
  stateOf,
  wantedOf,
} from './state.ts';
import type { BugIndexView, SegmentFilter } from './view.ts';
import { mergeRanges, segmentsOf } from './write-segments.ts';

/** Changed bugs that a search leaves to other instances as segments. */
const MAX_UNSAVED = 500;
/** The same, of read units for bugs whose entries have no values. */
const MAX_UNSAVED_UNITS = 500;
/** Changed bugs that stay beside the segments of their ranges, and the ranges that one search merges them into. */
const MAX_RECENT = 2_000;
const MAX_MERGED_RANGES = 4;
/** The same of a search that has read MAX_CHANGES. */
const MANY_MERGED_RANGES = 64;
/** Of the time of a search, that saving for others may take. */
const SAVING_SHARE = 1 / 4;
/** Half of what DynamoDB's tables have by default: others can read meanwhile. */
const READ_UNITS_PER_SECOND = 2_000;
/** Beside the retry budget: what a last attempt of the operator's commands takes, and a difference of clocks. */
const MARGIN_MS = 20_000;
/** After a save whose outcome is unknown. */
const SAVE_AGAIN_MS = 60_000;
/** Changed bugs that an instance keeps in memory where it may not save them. */
const MAX_CHANGED = 200_000;
/** Manifests that a search reads because segments are replaced meanwhile. */
const MAX_READ_ATTEMPTS = 5;

export type BugIndex = ReturnType<typeof openBugIndex>;

/** Reads bugs of the table, as `read` of their repository does. */
interface BugReader {
  read(
    wanted: Iterable<readonly [id: number, units: number | undefined]>,
    onRead: (bugs: BugItem[]) => void,
    pace: Pacer,
  ): Promise<void>;
}

/**
 * The search index, remembered between requests. Each search brings it up to date by the change log, so that it finds
 * what was written before it began: lib/table/DECISIONS.md says why.
 *
 * @param mayWrite whether searches leave what they read to others as segments
 */
export function openBugIndex(table: Table, bugs: BugReader, now: () => Date, mayWrite: boolean) {
  const repository = searchIndexRepository(table, now);
  const pace = pacer(READ_UNITS_PER_SECOND);
  const overlap = table.retryTimeoutMs + MARGIN_MS;
  const begin = <T>(work: () => Promise<T>, timeoutMs = table.retryTimeoutMs) => beginShared(timeoutMs, work);
  const load = segmentLoader(table, repository, pace);
  const { catchUp, readUnread } = changeReader(table, readBugs, pace);
  let current: Promise<State> | undefined;
  let saving: Promise<void> | undefined;
  /** the time (in ms) from which changes may be saved */
  let saveAgain = 0;

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
    const state = stateOf(manifest, reached(manifest.since), known);
    const recent = await repository.readSegments(manifest.recent.map(({ id }) => id));
    if (recent.size < manifest.recent.length) throw new SegmentsReplaced();
    const changed = bugsIn([...recent.values()].map(decodeSegment));
    for (const bug of changed.bugs) note(state, bug);
    state.unsaved.clear();
    for (const id of changed.unknown) state.unread.set(id, Number.POSITIVE_INFINITY);
    return state;
  }

  /**
   * Where reading the change log begins. A manifest that was written by a clock that was ahead may name a time that has not
   * come: what is written until then has to be found, too.
   */
  function reached(since: string): string {
    const latest = timestamp(new Date(now().getTime() - 2 * overlap));
    return since < latest ? since : latest;
  }

  /** The time before which no entry of the change log is written any more. */
  const settled = (): string => timestamp(new Date(now().getTime() - overlap));

  /** Reads bugs at the pace of the index. */
  function readBugs(ids: readonly number[], onRead: (bugs: IndexedBug[]) => void): Promise<void> {
    return bugs.read(
      new Map(ids.map((id) => [id, undefined])),
      (read) => onRead(read.map((bug) => ({ ...indexedBugOf(bug), units: readUnits(sizeOf(bug)) }))),
      pace,
    );
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
    const result = stateOf(replaced, reached(replaced.since), state);
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
      if (!isWithinMemory(wanted)) throw errors.searchTooBroad(`${MAX_INDEX_BYTES / 1_000_000} MB of bugs`);
      forgetOthers(state, wanted);
      await load(state, wanted);
      const isCurrent = await catchUp(state, settled());
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
        if (!(error instanceof SegmentsReplaced) || attempt === MAX_READ_ATTEMPTS) throw error;
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
        isCurrent = await catchUp(state, settled());
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

/** The ids of the segments of a list that another one does not have. */
function without(some: readonly SegmentEntry[], others: readonly SegmentEntry[]): string[] {
  const kept = new Set(others.map(({ id }) => id));
  return some.map(({ id }) => id).filter((id) => !kept.has(id));
}
