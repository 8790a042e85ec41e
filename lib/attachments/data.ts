import { deflateRaw, inflateRaw } from 'node:zlib';

/** Bytes of an item: DynamoDB allows 400 KB. */
const PART_BYTES = 350_000;

/** Compresses data and divides it into parts, at least one. */
export async function divide(data: Uint8Array): Promise<Uint8Array[]> {
  const compressed = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(data, (error, result) => (error === null ? resolve(result) : reject(error)));
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

/**
 * Decodes base64 as Bugzilla does: other characters are skipped, padding ends it, and bits that are left over are
 * dropped.
 */
export const decodeBase64 = (text: string): Buffer =>
  Buffer.from((text.split('=', 1)[0] ?? '').replace(/[^A-Za-z0-9+/]/g, ''), 'base64');
