import * as z from 'zod/mini';
import { isAscii, lowerCase } from '../../base/text.ts';
import type { StoredValue } from '../../bugs/fields/kinds.ts';

type Scalar = string | number | boolean | null;

/** The values of one attribute of many bugs. Each different value has a code. */
export interface Column {
  /** how many different values there are */
  size: number;
  codeOf(row: number): number;
  value(code: number): StoredValue;
  /** A text in lower case, as searches compare parts of it; absent: there are few different values, or no texts. */
  folded?: ((code: number) => string) | undefined;
}

/** How the different values of a column, or of the elements of lists, are written. */
const scalarsHeader = z.union([
  z.object({ json: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])) }),
  /** texts one after the other, after their lengths */
  z.object({ texts: z.int(), bytes: z.int() }),
  /** the differences between integers */
  z.object({ integers: z.int() }),
]);
type ScalarsHeader = z.infer<typeof scalarsHeader>;

export const columnHeader = z.object({
  attribute: z.string(),
  /** whether the rows have codes; else there is one value, or each row has its own */
  hasCodes: z.boolean(),
  scalars: scalarsHeader,
  /** the values are lists of these scalars: how many lists, and how many elements they have together */
  lists: z.optional(z.object({ count: z.int(), elements: z.int() })),
});
export type ColumnHeader = z.infer<typeof columnHeader>;

/** More different values are not written as JSON. */
const MAX_JSON = 64;
const MAX_INTEGER = 2 ** 31 - 1;

/** Writes a column: its header, and the bytes that follow those of the columns before. */
export function encodeColumn(
  attribute: string,
  values: readonly StoredValue[],
): { header: ColumnHeader; parts: Uint8Array[] } {
  const isList = values.some((value) => Array.isArray(value));
  const { distinct, codes } = dictionary(values, isList ? JSON.stringify : (value) => value);
  const isOwn = codes.every((code, row) => code === row);
  const hasCodes = distinct.length > 1 && !isOwn;
  const ofRows = hasCodes ? [bytesOf(Uint16Array.from(codes))] : [];
  if (!isList) {
    const { header: scalars, parts } = encodeScalars(distinct.filter(isScalar));
    return { header: { attribute, hasCodes, scalars }, parts: [...ofRows, ...parts] };
  }
  // Without a value the list is empty.
  const lists = distinct.map((list) => [list ?? []].flat().filter(isScalar));
  const elements = dictionary(lists.flat(), (value) => value);
  const { header: scalars, parts } = encodeScalars(elements.distinct);
  const lengths = Uint32Array.from(lists, ({ length }) => length);
  return {
    header: {
      ...{ attribute, hasCodes, scalars },
      lists: { count: lists.length, elements: elements.codes.length },
    },
    parts: [...ofRows, ...parts, bytesOf(lengths), bytesOf(Uint32Array.from(elements.codes))],
  };
}

const isScalar = (value: StoredValue): value is Scalar => !Array.isArray(value);

/** Different values in the order of their first occurrence, and the code of each value: its index among them. */
function dictionary<T>(
  values: readonly T[],
  keyOf: (value: T) => unknown,
): { distinct: T[]; codes: number[] } {
  const codeByKey = new Map<unknown, number>();
  const distinct: T[] = [];
  const codes = values.map((value) => {
    const key = keyOf(value);
    const known = codeByKey.get(key);
    if (known !== undefined) return known;
    codeByKey.set(key, distinct.length);
    return distinct.push(value) - 1;
  });
  return { distinct, codes };
}

function encodeScalars(values: readonly Scalar[]): { header: ScalarsHeader; parts: Uint8Array[] } {
  if (values.length <= MAX_JSON) return { header: { json: [...values] }, parts: [] };
  const strings = values.filter((value) => typeof value === 'string');
  if (strings.length === values.length) {
    const text = Buffer.from(strings.join(''));
    const lengths = Uint32Array.from(strings, ({ length }) => length);
    return { header: { texts: values.length, bytes: text.length }, parts: [bytesOf(lengths), text] };
  }
  const integers = values.filter((value) => typeof value === 'number' && isShort(value));
  if (integers.length < values.length) return { header: { json: [...values] }, parts: [] };
  const numbers = integers.map(Number);
  const differences = Int32Array.from(numbers, (value, at) => value - (numbers[at - 1] ?? 0));
  return { header: { integers: values.length }, parts: [bytesOf(differences)] };
}

/** Whether differences of such integers have 32 bits. */
const isShort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= MAX_INTEGER;

/** Numbers as bytes, in the order of the machines that Node runs on: little endian. */
const bytesOf = ({ buffer }: Uint16Array | Uint32Array | Int32Array): Uint8Array => new Uint8Array(buffer);

type ByteReader = ReturnType<typeof byteReader>;

/** Reads bytes one after the other, each part as a copy, so that the whole is not kept in memory. */
export function byteReader(bytes: Uint8Array) {
  let at = 0;
  return {
    take(length: number): Uint8Array<ArrayBuffer> {
      at += length;
      return new Uint8Array(bytes.subarray(at - length, at));
    },
  };
}

/** Reads a column that `encodeColumn` has written. */
export function decodeColumn(
  { hasCodes, scalars, lists }: ColumnHeader,
  rows: number,
  reader: ByteReader,
): Column {
  const codes = hasCodes ? new Uint16Array(reader.take(2 * rows).buffer) : undefined;
  const values: Values<StoredValue> =
    lists === undefined ? decodeScalars(scalars, reader) : decodeLists(scalars, lists, reader);
  const withoutCodes = values.size === 1 ? () => 0 : (row: number) => row;
  return { ...values, codeOf: codes === undefined ? withoutCodes : (row) => codes[row] ?? 0 };
}

interface Values<T> {
  size: number;
  value(code: number): T;
  folded?: (code: number) => string;
}

function decodeScalars(header: ScalarsHeader, reader: ByteReader): Values<Scalar> {
  if ('json' in header) return { size: header.json.length, value: (code) => header.json[code] ?? null };
  if ('integers' in header) {
    const numbers = new Int32Array(reader.take(4 * header.integers).buffer);
    let last = 0;
    for (const [at, difference] of numbers.entries()) numbers[at] = last += difference;
    return { size: numbers.length, value: (code) => numbers[code] ?? 0 };
  }
  const ends = endsOf(reader.take(4 * header.texts));
  const text = Buffer.from(reader.take(header.bytes).buffer).toString('utf8');
  const value = (code: number) => text.slice(ends[code - 1] ?? 0, ends[code]);
  return { size: ends.length, value, folded: foldedTexts(text, ends, value) };
}

/** The texts in lower case, once they are asked for: together where that does not change their lengths. */
function foldedTexts(
  text: string,
  ends: Uint32Array,
  value: (code: number) => string,
): (code: number) => string {
  let whole: string | undefined;
  let each: string[] | undefined;
  return (code) => {
    if (whole === undefined && each === undefined) {
      if (isAscii(text)) whole = lowerCase(text);
      else each = Array.from(ends, (_, at) => lowerCase(value(at)));
    }
    return each?.[code] ?? whole?.slice(ends[code - 1] ?? 0, ends[code]) ?? '';
  };
}

function decodeLists(
  header: ScalarsHeader,
  { count, elements }: { count: number; elements: number },
  reader: ByteReader,
): Values<StoredValue> {
  const { size, value } = decodeScalars(header, reader);
  const ends = endsOf(reader.take(4 * count));
  const codes = new Uint32Array(reader.take(4 * elements).buffer);
  let known: Scalar[] | undefined;
  return {
    size: count,
    value(code) {
      known ??= Array.from({ length: size }, (_, at) => value(at));
      const list: Scalar[] = [];
      const end = ends[code] ?? 0;
      for (let at = ends[code - 1] ?? 0; at < end; at += 1) list.push(known[codes[at] ?? 0] ?? '');
      return listOf(list);
    },
  };
}

/** Lists have texts, or numbers. */
function listOf(values: readonly Scalar[]): readonly string[] | readonly number[] {
  const texts = values.filter((value) => typeof value === 'string');
  return texts.length > 0 ? texts : values.filter((value) => typeof value === 'number');
}

/** Where each part ends, of their lengths. */
function endsOf(lengths: Uint8Array<ArrayBuffer>): Uint32Array {
  const ends = new Uint32Array(lengths.buffer);
  let last = 0;
  for (const [at, length] of ends.entries()) ends[at] = last += length;
  return ends;
}
