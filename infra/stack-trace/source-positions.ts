import { SourceMap } from 'node:module';
import * as z from 'zod';

const sourceMap = z.object({
  version: z.number(),
  file: z.string().default(''),
  sources: z.array(z.string()),
  sourcesContent: z.array(z.string()).default([]),
  names: z.array(z.string()),
  mappings: z.string(),
  sourceRoot: z.string().default(''),
});

/** A position in a bundle, as V8 prints it: `file:///var/task/index.mjs:12:345`. */
const BUNDLE_POSITION = /(?:file:\/\/)?[^\s()"]*\bindex\.mjs:(\d+):(\d+)/g;

/**
 * Replaces the positions in a minified stack trace by those in the sources.
 *
 * @param text a stack trace, or a log line that contains one
 * @param map the parsed source map of the bundle
 * @throws Error when the map is not a source map
 */
export function withSourcePositions(text: string, map: unknown): string {
  const positions = new SourceMap(sourceMap.parse(map));
  return text.replaceAll(BUNDLE_POSITION, (found, line: string, column: string) => {
    const origin = positions.findOrigin(Number(line), Number(column));
    if (!('fileName' in origin)) return found;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}
