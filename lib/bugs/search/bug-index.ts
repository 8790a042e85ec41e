import type { Table } from '../../dynamodb/client.ts';
import { changedPartitions, changedRange, productBugsPartition } from '../../dynamodb/keys.ts';
import { pacer } from '../../dynamodb/pacer.ts';
import { readPages } from '../../dynamodb/read.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { timestamp } from '../../time.ts';
import { entryOfBug, type IndexEntry, indexEntryItem, readIndexEntry } from '../index-entry.ts';
import type { BugRepository } from '../repository.ts';
import type { BugItem } from '../schema.ts';
import { searchIndexItem } from '../search-index.ts';
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
/** An entry with its key, as DynamoDB counts it; strongly consistent reads cost a unit for 4 KB. */
const ENTRY_OVERHEAD_BYTES = 100;
const UNIT_BYTES = 4_096;
/** Beside the retry budget: what a last attempt takes, and a difference of clocks. */
const MARGIN_MS = 10_000;

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
    const current = now().getTime();
    loaded.delete(partition);
    // What is known of single bugs of the partition is not kept current.
    forget((entry) => entry.partition === partition);
    const unindexed: number[] = [];
    let count = 0;
    for await (const page of readPages(table, { pk: partition }, indexEntryItem)) {
      count += page.length;
      if (count > MAX_ENTRIES) throw tooBroad();
      let size = 0;
      for (const item of page) {
        const entry = readIndexEntry(item);
        if (entry === undefined) unindexed.push(item.bug_id);
        else remember(entry);
        size += (item.fields?.length ?? 0) + ENTRY_OVERHEAD_BYTES;
      }
      await pace(size / UNIT_BYTES);
    }
    await readBugs(unindexed);
    loaded.set(partition, { current, used: current });
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
      for await (const page of readPages(table, { pk, ...changedRange(since) }, searchIndexItem)) {
        count += page.length;
        if (count > MAX_CHANGES && !isComplete) return;
        for (const { bug_id, revision = -1, product_id: product = 0, is_open: isOpen = false } of page) {
          const known = entries.get(bug_id);
          const isNew = known === undefined && loaded.has(partitionOf({ product, isOpen }));
          if (isNew || (known !== undefined && known.revision < revision)) changed.add(bug_id);
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
    if (entries.size <= MAX_ENTRIES) return;
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
      );
      if (!partitions.every((partition) => loaded.has(partition))) continue;
      const isCurrent = await catchUp(partitions, isReadAgain);
      // Another search may have found too many changes meanwhile.
      if (isCurrent && partitions.every((partition) => loaded.has(partition))) break;
      if (isCurrent) continue;
      isReadAgain = true;
      loaded.clear();
      forget(({ partition }) => !loading.has(partition));
    }
    const isWanted = new Set(partitions);
    for (const [partition, state] of loaded) if (isWanted.has(partition)) state.used = now().getTime();
    return [...entries.values()].filter(({ partition }) => isWanted.has(partition));
  }

  return {
    /**
     * The entries of bugs, none of them older than the begin of the call.
     *
     * @throws errors.searchTooBroad (400, 32000) for more than 100,000 bugs
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
