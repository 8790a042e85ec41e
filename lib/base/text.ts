import { isUtf8 } from 'node:buffer';
import { errors } from '../errors.ts';

const ASCII = /^[\0-\x7f]*$/;

/**
 * Longer than any name, which has at most 255 characters, so 510 UTF-16 units. Normalizing takes time that is quadratic
 * in a run of combining marks, so longer texts are not normalized.
 */
const MAX_NORMALIZED_LENGTH = 512;

/**
 * The form in which names, aliases, logins and tags are compared: NFC, lower case, final sigma as sigma. It is
 * idempotent, and the form of a substring is a substring of the form. Texts of over 512 UTF-16 units are no names,
 * and are returned unchanged.
 */
export function normalizeName(text: string): string {
  if (text.length > MAX_NORMALIZED_LENGTH) return text;
  if (ASCII.test(text)) return text.toLowerCase();
  // Lower case may undo NFC.
  return text.normalize('NFC').toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}

/** Whether a text has ASCII characters only. */
export const isAscii = (text: string): boolean => ASCII.test(text);

/** Normalizing takes time that is quadratic in a run of combining marks. */
const MANY_MARKS = /\p{M}{20}/u;

/** A text in NFC: the spellings of an accented letter are the same. */
export const composed = (text: string): string =>
  ASCII.test(text) || MANY_MARKS.test(text) ? text : text.normalize('NFC');

/** A text in NFC and lower case, also of a final sigma: the form in which searches compare parts of texts. */
export const lowerCase = (text: string): string => composed(text).toLowerCase().replaceAll('ς', 'σ');

/** Whether a text means true: it is not empty, not 0, and not false in any case. functions/README.md 1. */
export const isTrue = (text: string): boolean => !['', '0', 'false'].includes(text.toLowerCase());

const MAX_COLLATED_LENGTH = 4_000;

const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/**
 * The collation key of a name, as Bugzilla's database compares names: without case, and without the accents of Latin,
 * Greek and Cyrillic letters. Marks of other scripts are kept, because they are vowels.
 */
export function collate(text: string): string {
  if (text.length > MAX_COLLATED_LENGTH || ASCII.test(text)) return text.toLowerCase();
  const known = collated.get(text);
  if (known !== undefined) return known;
  if (collated.size >= MAX_COLLATED) collated.clear();
  const form = MANY_MARKS.test(text)
    ? text.toLowerCase()
    : text.normalize('NFD').replace(ACCENTED, '$1').toLowerCase();
  collated.set(text, form);
  return form;
}

/** The forms of the last texts: conditions compare the same ones again and again. */
const collated = new Map<string, string>();
const MAX_COLLATED = 1_000;

/** Whether a text has control characters, or characters that are not shown: zero-width ones, bidirectional controls. */
export function hasInvisibleCharacter(text: string): boolean {
  // Variation selectors are part of emoji.
  return /[\p{Cc}\u2028\u2029]|(?![\uFE00-\uFE0F])\p{Default_Ignorable_Code_Point}/u.test(text);
}

/**
 * A text for a terminal: control and invisible characters as `\u` with their code, except for line feeds and tabs.
 * JSON stays the same JSON.
 */
export const escapeInvisible = (text: string): string =>
  text.replace(
    /[^\P{Cc}\n\t]|[\u2028\u2029]|(?![\uFE00-\uFE0F])\p{Default_Ignorable_Code_Point}/gu,
    escapeCharacter,
  );

/** The same for a line, which stays one: also of line feeds and tabs. */
export const escapeLine = (text: string): string => escapeInvisible(text).replace(/[\n\t]/g, escapeCharacter);

const escapeCharacter = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Code units of Unicode's White_Space: a regular expression for each character takes seconds for 10 MB. */
const WHITE_SPACE = new Set(
  [
    ...'\t\n\v\f\r \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000',
    ...'\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A',
  ].map((one) => one.charCodeAt(0)),
);

/** `text` without white space at its end, by Unicode's White_Space: U+0085 is white space, U+FEFF is not. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && WHITE_SPACE.has(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `text` without white space at its ends, by Unicode's White_Space. */
export function trim(text: string): string {
  let start = 0;
  while (start < text.length && WHITE_SPACE.has(text.charCodeAt(start))) start += 1;
  return trimEnd(text.slice(start));
}

/** Length of `text` in characters as users count them: Unicode code points. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first and the last character of a text, as code points; '' has none. */
export const firstCharacter = (text: string): string => [...text.slice(0, 2)][0] ?? '';
export const lastCharacter = (text: string): string => [...text.slice(-2)].at(-1) ?? '';

/** Length of `text` in bytes as UTF-8. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The beginning of `text` that has at most `max` bytes, in whole characters. */
export function truncated(text: string, max: number): string {
  if (bytes(text) <= max) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return text.slice(0, read);
}

const byCodePoint = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Orders texts case-insensitively, independent of the locale. */
export function compareNames(a: string, b: string): number {
  return byCodePoint(normalizeName(a), normalizeName(b)) || byCodePoint(a, b);
}

/** Orders names as Bugzilla's database does: neither case nor accents count, unless they alone differ. */
export function compareCollated(a: string, b: string): number {
  return byCodePoint(collate(a), collate(b)) || compareNames(a, b);
}

/** Orders version names naturally: runs of digits compare as numbers, so `2.0` precedes `10.0`. */
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

const windows1252 = new TextDecoder('windows-1252');
/** Where Windows-1252 is not ISO 8859-1. */
const ONLY_WINDOWS = /[\x80-\x9f]/;

/** What a body may say its bytes are; anything else is read as `utf-8`. */
export type Charset = 'utf-8' | 'windows-1252';

/**
 * The text of bytes: UTF-8, and Windows-1252 where they are no UTF-8, as Bugzilla reads them. functions/README.md 1. A byte order
 * mark is kept.
 *
 * @param charset windows-1252: they are no UTF-8
 */
export function textOfBytes(bytes: Buffer, charset: Charset = 'utf-8'): string {
  // Asked first: an exception for each of many texts takes seconds.
  if (charset === 'utf-8' && isUtf8(bytes)) return bytes.toString();
  const text = bytes.toString('latin1');
  return ONLY_WINDOWS.test(text) ? windows1252.decode(bytes) : text;
}

/** Characters that are no bytes: what decoded a text before has made these. */
const NO_BYTE = /[^\0-\xff]/gu;
const PERCENT = 0x25;

/**
 * Decodes a percent-encoded text, of which each character stands for a byte; an invalid escape stays as it is.
 *
 * @param charset of the bytes
 */
export function percentDecoded(text: string, charset: Charset = 'utf-8'): string {
  if (!text.includes('%') && isAscii(text)) return text;
  const encoded = text.replaceAll(NO_BYTE, (character) => encodeURIComponent(character.toWellFormed()));
  const bytes = Buffer.from(encoded, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [byte, high, low] = [bytes[at] ?? 0, hexDigit(bytes[at + 1]), hexDigit(bytes[at + 2])];
    const isEscape = byte === PERCENT && high !== undefined && low !== undefined;
    bytes[length] = isEscape ? high * 16 + low : byte;
    length += 1;
    if (isEscape) at += 2;
  }
  return textOfBytes(bytes.subarray(0, length), charset);
}

/** The value of the character of a hexadecimal digit. */
function hexDigit(code = 0): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

/**
 * A text of a request, trimmed.
 *
 * @param max in characters
 */
export function limitedText(parameter: string, given: string, max: number): string {
  const text = trim(given);
  if (characters(text) > max) {
    throw errors.parameterInvalid(parameter, `it is longer than ${max} characters`);
  }
  return text;
}

/**
 * Parses an id in canonical form: decimal digits without leading zeros. functions/README.md 4 (`ids` that match nothing).
 *
 * @returns undefined for any other text, which matches no id
 */
export function plainId(given: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(given) ? Number(given) : undefined;
}

/** Whether a text consists of digits: then it is an id, not a name or alias. functions/README.md 4, 5. */
export function isAllDigits(given: string): boolean {
  return /^\d+$/.test(given);
}
