import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod/mini';
import { lowerBound } from '../../base/collections.ts';
import {
  ATTRIBUTES,
  type IndexedBug,
  indexedBug,
  MAX_TEXT_LENGTH,
  storedIn,
} from '../../bugs/change-log/indexed-bug.ts';
import type { StoredValue } from '../../bugs/fields/kinds.ts';
import { byteReader, type Column, columnHeader, decodeColumn, encodeColumn } from './column.ts';

/** Of a segment before compression, which no segment reaches. */
const MAX_DECODED_BYTES = 256 * 1024 * 1024;

const segmentHeader = z.object({
  rows: z.int(),
  /** values that are left out */
  omitted: z.array(z.object({ row: z.int(), attribute: z.string() })),
  columns: z.array(columnHeader),
  /** the read units that each bug takes; 0: unknown. Absent: version 1.1.0 has written the segment */
  units: z.optional(z.array(z.int())),
});

/** Bugs in columns, ordered by id. */
export interface Segment {
  rows: number;
  idOf(row: number): number;
  /** the row of a bug; undefined: it is not in the segment */
  rowOf(id: number): number | undefined;
  /** The values of an attribute, as `indexedAttribute` names it; undefined: the segment does not have it. */
  column(attribute: string): Column | undefined;
  /** Whether the value of a bug is left out, because it is long. */
  isOmitted(row: number, attribute: string): boolean;
  /** The value of an attribute; undefined: the bug has to be read. */
  value(row: number, attribute: string): StoredValue | undefined;
  /** A bug, perhaps without long values; undefined: it has to be read. */
  bug(row: number): IndexedBug | undefined;
  /** The read units that a bug takes, about; undefined: unknown. */
  unitsOf(row: number): number | undefined;
}

/** Writes a segment. @param bugs ordered by id, at most 65,536 */
export function encodeSegment(bugs: readonly IndexedBug[]): Uint8Array {
  const customNames = new Set(bugs.flatMap(({ custom }) => Object.keys(custom)));
  const omitted = bugs.flatMap(({ omitted: names = [] }, row) =>
    [...names].map((attribute) => ({ row, attribute })),
  );
  const columns = [...ATTRIBUTES, ...customNames]
    .filter((attribute) => attribute !== 'custom')
    .map((attribute) =>
      encodeColumn(
        attribute,
        bugs.map((bug, row) => {
          const value = storedIn(bug, attribute);
          const isLong = typeof value === 'string' && value.length > MAX_TEXT_LENGTH;
          if (isLong && bug.omitted?.has(attribute) !== true) omitted.push({ row, attribute });
          return isLong ? '' : value;
        }),
      ),
    );
  const header = Buffer.from(
    JSON.stringify({
      ...{ rows: bugs.length, omitted, columns: columns.map((one) => one.header) },
      units: bugs.map(({ units = 0 }) => units),
    }),
  );
  const length = new Uint8Array(Uint32Array.of(header.length).buffer);
  return zstdCompressSync(Buffer.concat([length, header, ...columns.flatMap(({ parts }) => parts)]), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** Reads what `encodeSegment` has written. @throws Error when it is damaged */
export function decodeSegment(data: Uint8Array): Segment {
  const reader = byteReader(zstdDecompressSync(data, { maxOutputLength: MAX_DECODED_BYTES }));
  const [length = 0] = new Uint32Array(reader.take(4).buffer);
  const text = Buffer.from(reader.take(length).buffer).toString('utf8');
  const { rows, omitted, columns: headers, units } = segmentHeader.parse(JSON.parse(text));
  const columns = new Map(headers.map((one) => [one.attribute, decodeColumn(one, rows, reader)]));
  checkTypes(columns);
  const customNames = headers.map(({ attribute }) => attribute).filter((name) => !isBuiltIn(name));
  const first = firstBug(columns);
  const varying = [...columns].filter(([attribute, { size }]) => isBuiltIn(attribute) && size > 1);
  const omittedOf = new Map(
    [...Map.groupBy(omitted, ({ row }) => row)].map(([row, all]) => [
      row,
      new Set(all.map(({ attribute }) => attribute)),
    ]),
  );
  const stored = (row: number, attribute: string): StoredValue | undefined => {
    const column = columns.get(attribute);
    return column?.value(column.codeOf(row));
  };
  const isOmitted = (row: number, attribute: string): boolean =>
    omittedOf.size > 0 && omittedOf.get(row)?.has(attribute) === true;
  const ids = Float64Array.from({ length: rows }, (_, row) => Number(stored(row, 'id')));
  return {
    rows,
    idOf: (row) => ids[row] ?? 0,
    rowOf(id) {
      const row = lowerBound(ids, id);
      return ids[row] === id ? row : undefined;
    },
    column: (attribute) => columns.get(attribute),
    isOmitted,
    value(row, attribute) {
      if (isOmitted(row, attribute)) return undefined;
      const value = stored(row, attribute);
      // No bug of the segment has the custom field.
      return value === undefined && !isBuiltIn(attribute) ? null : value;
    },
    unitsOf: (row) => (units === undefined && !omittedOf.has(row) ? 1 : units?.[row] || undefined),
    bug(row) {
      if (first === undefined) return undefined;
      const bug = { ...first };
      for (const [attribute, column] of varying) bug[attribute] = column.value(column.codeOf(row));
      for (const name of customNames) {
        const value = stored(row, name);
        if (isCustomValue(value)) bug.custom = { ...bug.custom, [name]: value };
      }
      const [names, size] = [omittedOf.get(row), units?.[row]];
      if (names !== undefined) bug.omitted = names;
      if (size) bug.units = size;
      return bug;
    },
  };
}

/** Whether a bug has a value of a custom field. */
const isCustomValue = (value: StoredValue | undefined): value is string | number | string[] =>
  typeof value === 'string' || typeof value === 'number' || (Array.isArray(value) && value.length > 0);

/** A bug with the first value of each column, which the values of a row replace; undefined: an attribute has no column. */
function firstBug(columns: ReadonlyMap<string, Column>): (Record<string, unknown> & IndexedBug) | undefined {
  const bug: Record<string, unknown> = {};
  for (const attribute of ATTRIBUTES)
    bug[attribute] = attribute === 'custom' ? {} : columns.get(attribute)?.value(0);
  return isWhole(bug) ? bug : undefined;
}

const BUILT_IN: ReadonlySet<string> = new Set(ATTRIBUTES);
const isBuiltIn = (attribute: string): boolean => BUILT_IN.has(attribute);

/** Checks that the columns have values of their attributes: those of a column are alike. */
function checkTypes(columns: ReadonlyMap<string, Column>): void {
  for (const attribute of ATTRIBUTES) {
    const column = columns.get(attribute);
    if (column !== undefined && column.size > 0) indexedBug.shape[attribute].parse(column.value(0));
  }
}

/** Whether all attributes are there, whose types `checkTypes` has checked. */
const isWhole = (bug: Record<string, unknown>): bug is IndexedBug =>
  ATTRIBUTES.every((attribute) => bug[attribute] !== undefined);

/**
 * The statuses whose bugs the index keeps in segments of their own, which searches of other bugs do not read. They do not
 * follow the workflow, so that segments stay as they are when it changes, and for version 1.1.0: bugs of other closed
 * statuses are among the open ones.
 */
export const CLOSED_SEGMENTS: readonly string[] = ['RESOLVED', 'VERIFIED', 'CLOSED'];

/** Whether bugs of this status are in the segments of closed bugs. */
export const isInClosedSegment = (status: string): boolean => CLOSED_SEGMENTS.includes(status);
