/** A character as a regular expression looks at it: case does not count. */
export interface Character {
  /** what it has in common with the same character in another case */
  folded: number;
  /** it in each case: what is tested for belonging to a range */
  forms: readonly number[];
  isWord: boolean;
}

export type CharacterTest = (character: Character) => boolean;

/** A set of characters. */
export interface CharacterSet {
  accepts: CharacterTest;
  /** how long the test takes, in comparisons of numbers */
  cost: number;
}

const LAST_CACHED = 0xffff;
const cache: Character[] = [];

/** A Unicode code point as a regular expression looks at it. */
export function characterOf(code: number): Character {
  const known = cache[code];
  if (known !== undefined) return known;
  const character = describe(code);
  if (isCached(code)) cache[code] = character;
  return character;
}

/** Whether a code point is looked up, not computed, when it comes again. */
export const isCached = (code: number): boolean => code <= LAST_CACHED;

function describe(code: number): Character {
  const upper = changed(code, (text) => text.toUpperCase());
  const lower = changed(code, (text) => text.toLowerCase());
  const folded = foldCode(code);
  return {
    folded,
    forms: [...new Set([code, upper, lower, folded])],
    isWord: /^\w$/.test(String.fromCodePoint(folded)),
  };
}

const DOTLESS_I = 0x131;

/** Unicode's simple case folding: a code point stays one. */
export function foldCode(code: number): number {
  // Its upper case is that of `i`, but Unicode does not fold it.
  if (code === DOTLESS_I) return code;
  const upper = changed(code, (text) => text.toUpperCase());
  return changed(upper, (text) => text.toLowerCase());
}

/** A code point in another case; unchanged where that takes several. */
function changed(code: number, change: (text: string) => string): number {
  const text = change(String.fromCodePoint(code));
  const result = text.codePointAt(0) ?? code;
  return text.length === codeLength(result) ? result : code;
}

/** The number of UTF-16 units of a code point. */
export const codeLength = (code: number): number => (code > 0xffff ? 2 : 1);
