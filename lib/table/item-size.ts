import { bytes } from '../base/text.ts';

/** DynamoDB allows 400 KB for an item, with its keys and attribute names. */
export const MAX_ITEM_BYTES = 409_600;

/** The size of a value as DynamoDB counts it: strings in UTF-8, lists and maps with an overhead for each element. */
export function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'string') return bytes(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (Array.isArray(value)) return 3 + value.reduce<number>((sum, one) => sum + 1 + sizeOf(one), 0);
  if (typeof value !== 'object' || value === null) return 1;
  return 3 + Object.entries(value).reduce((sum, [name, one]) => sum + 1 + bytes(name) + sizeOf(one), 0);
}

/** Bytes that a read unit reads. */
const UNIT_BYTES = 4_096;

/** The read units that an item of so many bytes takes, strongly consistent. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES));
