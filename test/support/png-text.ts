import { crc32 } from 'node:zlib';

/** The signature of a PNG file, and its first chunk, which has 13 bytes of data. */
const HEAD_BYTES = 8 + 12 + 13;
const KEYWORD = 'Description';
/** After the keyword: its end, no compression, no language. */
const FLAGS = '\0\0\0\0\0';

/** A PNG with a text, as a chunk iTXt that says what is to be seen. */
export function withText(png: Buffer, text: string): Buffer {
  const content = Buffer.from(`iTXt${KEYWORD}${FLAGS}${text}`);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, HEAD_BYTES), length, content, checksum, png.subarray(HEAD_BYTES)]);
}

/** The text of a PNG; '' without one. */
export function textOf(png: Buffer): string {
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const content = png.subarray(at + 4, at + 8 + length).toString();
    if (content.startsWith(`iTXt${KEYWORD}`)) return content.slice(4 + KEYWORD.length + FLAGS.length);
    at += 12 + length;
  }
  return '';
}
