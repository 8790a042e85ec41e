/** Far more than any key takes. Normalizing takes time that grows with the square of a run of combining marks. */
const MAX_NORMALIZED_LENGTH = 4_000;

/**
 * The form under which names, aliases, logins and tags are compared: Unicode lower case of NFC, and NFC again
 * because lower case may undo it, so that a folded text folds to itself. Texts of over 4,000 UTF-16 units name
 * nothing, and stay as they are.
 * REFERENCE.md 4 (names match case-insensitively, exactly otherwise).
 */
export function normalizeName(text: string): string {
  if (text.length > MAX_NORMALIZED_LENGTH) return text;
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Length of `text` in characters as a user counts them for limits: Unicode code points. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Length of `text` in bytes as UTF-8. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

const byCodePoint = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Orders texts case-insensitively, the same everywhere: no locale is asked. */
export function compareNames(a: string, b: string): number {
  return byCodePoint(normalizeName(a), normalizeName(b)) || byCodePoint(a, b);
}

/**
 * Orders version names naturally: runs of digits compare as numbers, so `2.0` stands before `10.0`.
 * REFERENCE.md 2 (order).
 */
export function compareNaturally(a: string, b: string): number {
  const left = normalizeName(a).match(/\d+|\D+/g) ?? [];
  const right = normalizeName(b).match(/\d+|\D+/g) ?? [];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = compareParts(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || compareNames(a, b);
}

function compareParts(a: string, b: string): number {
  const bothNumbers = /^\d/.test(a) && /^\d/.test(b);
  return bothNumbers ? Number(a) - Number(b) : byCodePoint(a, b);
}
