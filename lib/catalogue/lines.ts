import { CatalogueError } from './plan.ts';
import type { CatalogueBug } from './schema.ts';

/** A line of a file, without its end. */
export interface Line {
  /** from 1 */
  number: number;
  /** of its first byte in the file */
  start: number;
  content: Buffer;
}

const NEWLINE = 0x0a;
/** Less than a string can have. */
const MAX_LINE_BYTES = 500_000_000;

/**
 * Splits a file at `\n` bytes, and only there: JSON escapes these inside of strings, but not U+2028, at which
 * `node:readline` splits, too. Memory holds one line. Empty lines are left out.
 *
 * @throws CatalogueError when a line is larger than 500 MB
 */
export async function* linesOf(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let [number, start, size] = [1, 0, 0];
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    size += part.length;
    if (size > MAX_LINE_BYTES) throw new CatalogueError(`line ${number} is larger than 500 MB`);
    parts.push(part);
  };
  function* end(): Generator<Line> {
    const content = Buffer.concat(parts);
    if (/\S/.test(content.toString('latin1', 0, 10))) yield { number, start, content };
    number += 1;
    start += size + 1;
    size = 0;
    parts = [];
  }
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      yield* end();
      from = at + 1;
    }
    // Copied, because a part would keep the whole chunk in memory.
    if (from < chunk.length) add(Buffer.from(chunk.subarray(from)));
  }
  if (size > 0) yield* end();
}

/** A line of a file. */
export const lineOf = (content: object): string => `${JSON.stringify(content)}\n`;

/** The lines of a bug, of which memory holds one. */
export async function* linesOfBug({
  attachments = [],
  custom,
  ...fields
}: CatalogueBug): AsyncGenerator<string> {
  yield lineOf({ bug: { ...fields, ...custom } });
  for (const { data, ...attachment } of attachments) {
    const text = (await data.read()).toString('base64');
    yield lineOf({ attachment: { ...attachment, bug_id: fields.id, data: text } });
  }
}
