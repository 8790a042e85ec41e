import type { IndexedBug } from '../../bugs/change-log/indexed-bug.ts';
import type { RangeEntry, SegmentEntry } from './repository.ts';
import { encodeSegment, isInClosedSegment } from './segment.ts';

/** Bugs of a range, or of another segment. */
const MAX_BUGS_A_SEGMENT = 4_000;
/** Of a segment with more than one bug. */
const MAX_SEGMENT_BYTES = 300_000;

/** Where segments come from, and where they are written. */
interface Segments {
  read(entries: readonly SegmentEntry[]): Promise<IndexedBug[]>;
  /** @returns the id */
  add(data: Uint8Array): Promise<string>;
}

/**
 * Writes changed bugs into the segments of their ranges: into those that most of them belong to.
 *
 * @returns the ranges, and the changed bugs of the others
 */
export async function mergeRanges(
  ranges: readonly RangeEntry[],
  changed: ReadonlyMap<number, IndexedBug>,
  maxRanges: number,
  segments: Segments,
): Promise<{ ranges: RangeEntry[]; rest: IndexedBug[] }> {
  const byRange = Map.groupBy(changed.values(), ({ id }) => ranges.findLastIndex(({ from }) => from <= id));
  const largest = [...byRange].sort(([, a], [, b]) => b.length - a.length);
  const merged = new Map<number, RangeEntry[]>();
  for (const [index, bugs] of largest.slice(0, maxRanges)) {
    const range = ranges[index];
    if (range === undefined) throw new Error('Ranges of the search index begin at 0');
    const stored = await segments.read([range.open, range.closed].filter((entry) => entry !== undefined));
    const all = new Map([...stored, ...bugs].map((bug) => [bug.id, bug]));
    const ordered = [...all.values()].sort((a, b) => a.id - b.id);
    merged.set(index, await rangesOf(range.from, ordered, segments.add));
  }
  return {
    ranges: ranges.flatMap((range, index) => merged.get(index) ?? [range]),
    rest: largest.slice(maxRanges).flatMap(([, bugs]) => bugs),
  };
}

/**
 * Writes bugs as one range, or as several where they are too many.
 *
 * @param bugs ordered by id
 */
export async function rangesOf(
  from: number,
  bugs: readonly IndexedBug[],
  add: Segments['add'],
): Promise<RangeEntry[]> {
  const byState = [false, true].map((isClosed) =>
    bugs.filter(({ status }) => isInClosedSegment(status) === isClosed),
  );
  const encoded = bugs.length > MAX_BUGS_A_SEGMENT ? [] : byState.map(encode);
  if (bugs.length > MAX_BUGS_A_SEGMENT || (bugs.length > 1 && encoded.some(isTooLarge))) {
    const [first, second] = halvesOf(bugs);
    return [...(await rangesOf(from, first, add)), ...(await rangesOf(second[0]?.id ?? from, second, add))];
  }
  const [open, closed] = await Promise.all(
    encoded.map((one) => (one.rows === 0 ? undefined : addEncoded(one, add))),
  );
  return [{ from, ...(open && { open }), ...(closed && { closed }) }];
}

/** Writes bugs as segments in any number. */
export async function segmentsOf(bugs: readonly IndexedBug[], add: Segments['add']): Promise<SegmentEntry[]> {
  if (bugs.length === 0) return [];
  const encoded = bugs.length > MAX_BUGS_A_SEGMENT ? undefined : encode(bugs.toSorted((a, b) => a.id - b.id));
  if (encoded !== undefined && (bugs.length === 1 || !isTooLarge(encoded)))
    return [await addEncoded(encoded, add)];
  return (await Promise.all(halvesOf(bugs).map((half) => segmentsOf(half, add)))).flat();
}

/** A segment that is not written yet. */
type Encoded = ReturnType<typeof encode>;

const encode = (bugs: readonly IndexedBug[]) => ({
  data: encodeSegment(bugs),
  rows: bugs.length,
  changed: bugs.reduce((latest, { last_change_time: time }) => (time > latest ? time : latest), ''),
});

const isTooLarge = ({ data }: Encoded): boolean => data.length > MAX_SEGMENT_BYTES;

const addEncoded = async ({ data, rows, changed }: Encoded, add: Segments['add']): Promise<SegmentEntry> => ({
  id: await add(data),
  ...{ rows, bytes: data.length, changed },
});

function halvesOf<T>(values: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(values.length / 2);
  return [values.slice(0, middle), values.slice(middle)];
}
