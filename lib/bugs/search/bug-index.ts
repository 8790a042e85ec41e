import type { Table } from '../../dynamodb/client.ts';
import {
  bugOfIndexKey,
  changedPartitions,
  changedRange,
  productBugsAfter,
  productBugsPartition,
} from '../../dynamodb/keys.ts';
import { pacer } from '../../dynamodb/pacer.ts';
import { readPages, withKey } from '../../dynamodb/read.ts';
import { RetriesExhausted } from '../../dynamodb/retry.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { timestamp } from '../../time.ts';
import type { BugItem } from '../schema.ts';
import { entryOfBug, type IndexEntry, indexEntryItem, readIndexEntry } from '../store/index-entry.ts';
import type { BugRepository } from '../store/repository.ts';
import { searchIndexItem } from '../store/search-index.ts';
import { isOpenStatus } from '../workflow.ts';

/** The open, or the closed, bugs of a product. */
export interface BugSet {
  product: number;
  isOpen: boolean;
}

/** Entries that are remembered, of about 1 KB each; a search over more is refused. */
const MAX_ENTRIES = 100_000;
/** Bugs that are read one by one because their entries are superseded, or of an earlier version. */
const MAX_UNINDEXED = 10_000;
/** Changes, and changed bugs, after which it costs less to read the entries again. */
const MAX_CHANGES = 20_000;
const MAX_CHANGED_BUGS = 2_000;
/** Entries under the time of writing expire after a day, so that older partitions have to be read again. */
const MAX_AGE_MS = 12 * 60 * 60 * 1_000;
/** Half of what DynamoDB's tables have by default: others can read meanwhile. */
const READ_UNITS_PER_SECOND = 2_000;
/** Partitions that are read at the same time. */
const CONCURRENCY = 8;
/** Beside the retry budget: what a last attempt takes, and a difference of clocks. */
const MARGIN_MS = 10_000;

const keyedEntry = withKey(indexEntryItem);
const keyedChange = withKey(searchIndexItem);

/** How far a partition was read. */
interface Partial {
  /** the time (in ms) from which changes have to be read */
  current: number;
  /** the last sort key that was read */
  read: string;
  count: number;
  /** bugs that have to be read because their entries do not say enough */
  unindexed: number[];
}

type Remembered = IndexEntry & { partition: string };

const partitionOf = ({ product, isOpen }: BugSet): string => productBugsPartition(product, isOpen);
const partitionOfBug = ({ product_id, status }: Pick<BugItem, 'product_id' | 'status'>): string =>
  productBugsPartition(product_id, isOpenStatus(status));

/**
 * The entries of the search index, remembered between requests. Each search brings them up to date by the changes since
 * the last one, so that it finds what was written before it began: lib/dynamodb/README.md says why.
 */
export function openBugIndex(table: Table, bugs: BugRepository, now: () => Date) {
  /** by id: the newest known entry of each bug */
  const entries = new Map<number, Remembered>();
  /** the partitions whose entries are all known, each with the time (in ms) from which changes have to be read */
  const loaded = new Map<string, { current: number; used: number }>();
  /** the others of which some entries are known, because a search ended at its deadline: the next one goes on */
  const partial = new Map<string, Partial>();
  const loading = new Map<string, Promise<void>>();
  /** how many searches use a partition */
  const inUse = new Map<string, number>();
  const pace = pacer(READ_UNITS_PER_SECOND);
  const overlap = table.retryTimeoutMs + MARGIN_MS;

  function remember(entry: IndexEntry): void {
    const known = entries.get(entry.bug.id);
    if (known !== undefined && known.revision >= entry.revision) return;
    entries.set(entry.bug.id, { ...entry, partition: partitionOfBug(entry.bug) });
  }

  async function readBugs(ids: readonly number[]): Promise<void> {
    if (ids.length > MAX_UNINDEXED) throw errors.searchTooBroad(`${MAX_UNINDEXED} bugs without index`);
    for (const bug of (await bugs.byIds([...ids])).values()) remember(entryOfBug(bug));
  }

  async function load(partition: string): Promise<void> {
    const begun = partial.get(partition);
    const isOld = begun === undefined || begun.current < now().getTime() - MAX_AGE_MS;
    const state = isOld ? { current: now().getTime(), read: '', count: 0, unindexed: [] } : begun;
    if (isOld) {
      loaded.delete(partition);
      // What is known of single bugs of the partition is not kept current.
      forget((entry) => entry.partition === partition);
      partial.set(partition, state);
    }
    try {
      await readOn(partition, state);
    } catch (error) {
      if (!(error instanceof RetriesExhausted)) partial.delete(partition);
      throw error;
    }
    partial.delete(partition);
    loaded.set(partition, { current: state.current, used: now().getTime() });
  }

  async function readOn(partition: string, state: Partial): Promise<void> {
    const range = { pk: partition, ...productBugsAfter(state.read) };
    for await (const page of readPages(table, range, keyedEntry, { pacer: pace })) {
      state.count += page.length;
      if (state.count > MAX_ENTRIES) throw tooBroad();
      for (const item of page) {
        const id = bugOfIndexKey(item);
        const entry = readIndexEntry(id, item);
        if (entry === undefined) state.unindexed.push(id);
        else remember(entry);
        state.read = item.sk;
      }
    }
    await readBugs(state.unindexed);
  }

  function loadOnce(partition: string): Promise<void> {
    const running = loading.get(partition);
    if (running !== undefined) return running;
    const started = load(partition).finally(() => loading.delete(partition));
    loading.set(partition, started);
    return started;
  }

  /**
   * Applies the changes since these partitions were current.
   *
   * @param isComplete however many
   * @returns false when there are too many
   */
  async function catchUp(partitions: readonly string[], isComplete: boolean): Promise<boolean> {
    const startedAt = now().getTime();
    const states = [...loaded.values()];
    const oldest = Math.min(...partitions.map((one) => loaded.get(one)?.current ?? 0));
    const since = timestamp(new Date(oldest - overlap));
    const changed = new Set<number>();
    let count = 0;
    await mapConcurrent(changedPartitions, async (pk) => {
      for await (const page of readPages(table, { pk, ...changedRange(since) }, keyedChange)) {
        count += page.length;
        if (count > MAX_CHANGES && !isComplete) return;
        for (const change of page) {
          const { revision = -1, product_id: product = 0, is_open: isOpen = false } = change;
          const id = bugOfIndexKey(change);
          const known = entries.get(id);
          const isNew = known === undefined && loaded.has(partitionOf({ product, isOpen }));
          if (isNew || (known !== undefined && known.revision < revision)) changed.add(id);
        }
      }
    });
    if (!isComplete && (count > MAX_CHANGES || changed.size > MAX_CHANGED_BUGS)) return false;
    await readBugs([...changed]);
    for (const state of states)
      if (state.current >= oldest) state.current = Math.max(state.current, startedAt);
    return true;
  }

  function forget(isForgotten: (entry: Remembered) => boolean): void {
    for (const [id, entry] of entries) if (isForgotten(entry)) entries.delete(id);
  }

  /** Forgets the partitions that were not used for longest, as far as the memory is needed. */
  function evict(): void {
    const byUse = [...loaded].sort(([, a], [, b]) => a.used - b.used);
    for (const [partition] of byUse) {
      if (entries.size <= MAX_ENTRIES) return;
      if (inUse.has(partition)) continue;
      loaded.delete(partition);
      forget((entry) => entry.partition === partition);
    }
    if (entries.size > MAX_ENTRIES) forgetUnused();
  }

  /** Forgets what belongs to no partition that is known or being read. */
  function forgetUnused(): void {
    for (const partition of partial.keys()) if (!loading.has(partition)) partial.delete(partition);
    forget(({ partition }) => !loaded.has(partition) && !loading.has(partition));
  }

  /** The entries of partitions, after loading what is missing and applying what changed. */
  async function read(partitions: readonly string[]): Promise<IndexEntry[]> {
    const oldest = now().getTime() - MAX_AGE_MS;
    let isReadAgain = false;
    for (;;) {
      await mapConcurrent(
        partitions.filter((partition) => (loaded.get(partition)?.current ?? 0) < oldest),
        loadOnce,
        CONCURRENCY,
      );
      if (!partitions.every((partition) => loaded.has(partition))) continue;
      const isCurrent = await catchUp(partitions, isReadAgain);
      // Another search may have found too many changes meanwhile.
      if (isCurrent && partitions.every((partition) => loaded.has(partition))) break;
      if (isCurrent) continue;
      isReadAgain = true;
      loaded.clear();
      forgetUnused();
    }
    const isWanted = new Set(partitions);
    for (const [partition, state] of loaded) if (isWanted.has(partition)) state.used = now().getTime();
    return [...entries.values()].filter(({ partition }) => isWanted.has(partition));
  }

  return {
    /**
     * The entries of bugs, none of them older than the begin of the call.
     *
     * @throws RetriesExhausted
     */
    async entriesOf(sets: readonly BugSet[]): Promise<IndexEntry[]> {
      if (sets.length === 0) return [];
      const wanted = sets.map(partitionOf);
      for (const partition of wanted) inUse.set(partition, (inUse.get(partition) ?? 0) + 1);
      try {
        const found = await read(wanted);
        if (found.length > MAX_ENTRIES) throw tooBroad();
        return found;
      } finally {
        for (const partition of wanted) {
          const others = (inUse.get(partition) ?? 1) - 1;
          if (others === 0) inUse.delete(partition);
          else inUse.set(partition, others);
        }
        evict();
      }
    },
  };
}

const tooBroad = () => errors.searchTooBroad('100,000 bugs');
