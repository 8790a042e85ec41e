import { mapConcurrent, portions } from '../../base/collections.ts';
import type { Table } from '../../table/client.ts';
import type { Pacer } from '../../table/pacer.ts';
import { beforeDeadline, RetriesExhausted } from '../../table/retry.ts';
import type { SearchIndexRepository, SegmentEntry } from './repository.ts';
import { decodeSegment } from './segment.ts';
import { beginShared, late } from './shared-work.ts';
import { hide, type State } from './state.ts';

/** Of segments that one call reads. */
const MAX_BYTES_READ_TOGETHER = 4_000_000;
/** Bytes that half a read unit reads, eventually consistent. */
const UNIT_BYTES = 8_192;

/** Segments that a manifest names do not exist any more, because another manifest replaces it, or they are lost. */
export class SegmentsReplaced extends RetriesExhausted {
  override name = 'SegmentsReplaced';

  constructor() {
    super('Segments of the search index were replaced while they were read');
  }
}

/**
 * Reads segments into the memory of an instance, each once.
 *
 * @param pace of all reads of the index
 */
export function segmentLoader(table: Table, repository: SearchIndexRepository, pace: Pacer) {
  const reading = new Map<string, Promise<unknown>>();

  /** Reads segments that a state lacks. What was read before the deadline is kept. @throws SegmentsReplaced */
  async function load(state: State, wanted: readonly SegmentEntry[]): Promise<void> {
    const missing = wanted.filter(({ id }) => !state.loaded.has(id) && !reading.has(id));
    const others = wanted.flatMap(({ id }) => reading.get(id) ?? []);
    const calls = [...portions(missing, { max: MAX_BYTES_READ_TOGETHER, sizeOf: ({ bytes }) => bytes })];
    const own = beginShared(table.retryTimeoutMs, () =>
      mapConcurrent(calls, (entries) => loadTogether(state, entries), 2),
    );
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

  return load;
}
