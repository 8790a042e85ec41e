import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';

const names: readonly string[] = [...endpointGroups, ...consumers].map(({ name }) => name);

const USAGE = `Usage: npm run -s stack-trace -- FUNCTION [CDK_OUT] < FILE

Translates minified stack traces of a function with the source map that \`cdk synth\` or
\`cdk deploy\` of the same version has written to CDK_OUT/source-maps (default: cdk.out/source-maps).

Functions: ${names.join(', ')}`;

const [name = '', folder = 'cdk.out', ...others] = process.argv.slice(2);
if (others.length > 0 || !names.includes(name)) {
  console.error(USAGE);
  process.exit(2);
}
const map: unknown = JSON.parse(readFileSync(`${folder}/source-maps/${name}.mjs.map`, 'utf8'));
process.stdout.write(withSourcePositions(await text(process.stdin), map));

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
