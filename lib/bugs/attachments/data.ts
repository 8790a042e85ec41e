import { deflateRaw, inflateRaw } from 'node:zlib';
import { BugzillaError } from '../../errors.ts';

/** Bytes of an item: DynamoDB allows 400 KB. */
const PART_BYTES = 350_000;
/** Of the compressor's output: with zlib's 16 KB, compressing 1 MB takes a fifth more CPU. */
const CHUNK_BYTES = 262_144;

/** Compresses data and divides it into parts, at least one. */
export async function divide(data: Uint8Array): Promise<Uint8Array[]> {
  const compressed = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(data, { chunkSize: CHUNK_BYTES }, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });
  const parts: Uint8Array[] = [];
  for (let start = 0; start === 0 || start < compressed.length; start += PART_BYTES) {
    parts.push(compressed.subarray(start, start + PART_BYTES));
  }
  return parts;
}

/** The data that was divided. */
export const join = (parts: readonly Uint8Array[]): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    inflateRaw(Buffer.concat(parts), (error, result) => (error === null ? resolve(result) : reject(error)));
  });

/** Whether a text may be base64, of either alphabet: white space and padding anywhere are accepted, as by Bugzilla. */
export const isBase64 = (text: string): boolean => !/[^\w+/=\s-]/.test(text);

/**
 * Decodes base64 as Bugzilla does: other characters are skipped, padding ends it, and bits that are left over are
 * dropped.
 */
export function decodeBase64(text: string): Buffer {
  const end = text.indexOf('=');
  const data = end === -1 ? text : text.slice(0, end);
  // Node skips other characters of ASCII, too, but takes these for digits of the URL alphabet.
  const isPlain = Buffer.byteLength(data) === data.length && !data.includes('-') && !data.includes('_');
  return Buffer.from(isPlain ? data : data.replace(/[^A-Za-z0-9+/]/g, ''), 'base64');
}

/** Whether reading data failed because a part is lost or damaged, and not for the database or a bound of the request. */
export const isDamaged = (error: unknown): error is BugzillaError =>
  error instanceof BugzillaError && error.name === 'attachment_damaged';
