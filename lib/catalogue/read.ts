import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { BugScanner, type FileRange, type ScannedBug } from './bug-scanner.ts';
import { CatalogueError, catalogueError } from './errors.ts';
import {
  type Catalogue,
  type CatalogueBug,
  type CatalogueSource,
  type Problem,
  validateBug,
  validateCatalogue,
} from './schema.ts';
import { bugChecker } from './validation.ts';

/**
 * Validates a catalogue.
 *
 * @throws CatalogueError naming each wrong place by its JSON path
 */
export function parseCatalogue(given: unknown): Catalogue {
  const result = validateCatalogue(given);
  if ('catalogue' in result) return result.catalogue;
  throw catalogueError(result.problems);
}

/**
 * Validates a catalogue file. Its bugs are read one by one whenever they are iterated, and the data of attachments when
 * it is needed, so that memory does not grow with them. What is no regular file, such as a pipe, is read into memory.
 *
 * @throws CatalogueError when it is not JSON in UTF-8, or naming each wrong place by its JSON path
 */
export async function readCatalogueFile(path: string): Promise<CatalogueSource> {
  const { mtimeMs, size, isFile } = await fileAt(path);
  if (!isFile) return parseCatalogue(parseJson(path, await readFile(path)));
  const scanner = new BugScanner();
  const check = bugChecker();
  const problems: Problem[] = [];
  let count = 0;
  for await (const scanned of scan(path, scanner)) {
    const result = validateBug(parseJson(path, scanned.json), count);
    if ('problems' in result) problems.push(...result.problems);
    else check(result.bug, count, (place, message) => problems.push({ path: place, message }));
    problems.push(...(await dataProblems(path, scanned, count)));
    count += 1;
  }
  const rest = parseJson(path, scanner.rest);
  const validated = validateCatalogue(count === 0 ? rest : withoutBugs(rest, count));
  if ('problems' in validated) problems.unshift(...validated.problems);
  if ('problems' in validated || problems.length > 0) throw catalogueError(problems);
  if (count === 0) return validated.catalogue;
  const bugs = {
    async *[Symbol.asyncIterator]() {
      const now = await fileAt(path);
      if (now.mtimeMs !== mtimeMs || now.size !== size)
        throw new CatalogueError(`${path} has changed meanwhile`);
      yield* bugsOf(path);
    },
  };
  return { ...validated.catalogue, bugs };
}

async function fileAt(path: string) {
  const found = await stat(path);
  return { mtimeMs: found.mtimeMs, size: found.size, isFile: found.isFile() };
}

async function* scan(path: string, scanner = new BugScanner()): AsyncGenerator<ScannedBug> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }))
    yield* scanner.scan(chunk);
}

const CHUNK_BYTES = 262_144;

/** The bugs of a file that was validated. */
async function* bugsOf(path: string): AsyncGenerator<CatalogueBug> {
  let index = 0;
  for await (const { json, data } of scan(path)) {
    const result = validateBug(parseJson(path, json), index);
    if ('problems' in result) throw catalogueError(result.problems);
    for (const [at, attachment] of (result.bug.attachments ?? []).entries()) {
      const range = data.get(at);
      if (range !== undefined) {
        attachment.data = { read: async () => Buffer.from(await readString(path, range), 'base64') };
      }
    }
    yield result.bug;
    index += 1;
  }
}

/** Of the JSON of an attachment's data: it is in memory as a whole. */
const MAX_DATA_BYTES = 64_000_000;

/** The attachments of a bug whose data is wrong. */
async function dataProblems(path: string, { data }: ScannedBug, b: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [at, range] of data) {
    const isTooLarge = range.end - range.start > MAX_DATA_BYTES;
    if (!isTooLarge && isBase64(await readString(path, range))) continue;
    const message = isTooLarge
      ? `must be smaller than ${MAX_DATA_BYTES} bytes`
      : 'Invalid base64-encoded string';
    problems.push({ path: ['bugs', b, 'attachments', at, 'data'], message });
  }
  return problems;
}

/** Without a repeated group, whose matching takes memory for each repetition. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));

/** A JSON string in a file. */
async function readString(path: string, { start, end }: FileRange): Promise<string> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return String(parseJson(path, buffer));
  } finally {
    await file.close();
  }
}

/** A catalogue without its bugs, of which the scanner left a number for each. */
function withoutBugs(rest: unknown, count: number): unknown {
  if (typeof rest !== 'object' || rest === null) return rest;
  const bugs: unknown = Reflect.get(rest, 'bugs');
  if (!Array.isArray(bugs) || bugs.length !== count) throw new CatalogueError('The catalogue has bugs twice');
  return { ...rest, bugs: [] };
}

/** @throws CatalogueError when it is not JSON in UTF-8 */
function parseJson(path: string, content: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    // Decoding it leniently would store U+FFFD.
    throw new CatalogueError(`${path} is not valid UTF-8`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
