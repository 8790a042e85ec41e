const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

/** What a body may say its bytes are; anything else is read as `utf-8`. */
export type Charset = 'utf-8' | 'windows-1252';

/**
 * The text of bytes: UTF-8, and Windows-1252 where they are no UTF-8, as Bugzilla reads them. functions/README.md 1. A byte order
 * mark is kept.
 *
 * @param charset windows-1252: they are no UTF-8
 */
export function textOfBytes(bytes: Uint8Array, charset: Charset = 'utf-8'): string {
  if (charset === 'windows-1252') return windows1252.decode(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return windows1252.decode(bytes);
  }
}

const ESCAPE = /%([0-9a-f]{2})/gi;
/** Characters that are no bytes: what decoded a text before has made these. */
const NO_BYTE = /[^\0-\xff]/gu;

/**
 * Decodes a percent-encoded text, of which each character stands for a byte; an invalid escape stays as it is.
 *
 * @param charset of the bytes
 */
export function percentDecoded(text: string, charset: Charset = 'utf-8'): string {
  const isAscii = !/[^\0-\x7f]/.test(text);
  if (isAscii && !text.includes('%')) return text;
  if (isAscii && charset === 'utf-8') {
    try {
      return decodeURIComponent(text);
    } catch {
      // It has an invalid escape, or bytes that are no UTF-8.
    }
  }
  const bytes = text
    .replaceAll(NO_BYTE, (character) => encodeURIComponent(character.toWellFormed()))
    .replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return textOfBytes(Buffer.from(bytes, 'latin1'), charset);
}
