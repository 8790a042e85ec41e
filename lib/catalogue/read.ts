import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { jsonOf } from '../base/json.ts';
import { MAX_ATTACHMENTS_A_BUG } from '../bugs/attachments/validation.ts';
import { type Line, linesOf } from './lines.ts';
import { CatalogueError, catalogueError, linePath } from './plan.ts';
import {
  attachmentLine,
  bugLine,
  type Catalogue,
  type CatalogueBug,
  type CatalogueSource,
  type Problem,
} from './schema.ts';
import type { AttachmentData } from './schema-bugs.ts';
import { bugChecker, validateCatalogue } from './validation.ts';

/**
 * Validates a catalogue.
 *
 * @throws CatalogueError with all validation problems, by JSON path
 */
export function parseCatalogue(given: unknown): Catalogue {
  const result = validateCatalogue(given);
  if ('catalogue' in result) return result.catalogue;
  throw catalogueError(result.problems);
}

/**
 * Validates a catalogue file: a JSON object, or lines (NDJSON), of which one has the settings, which are a catalogue
 * without bugs, and each other one a bug, or an attachment of the bug before it. Lines are read one by one whenever the
 * bugs are iterated, and the data of attachments when it is needed, so that memory does not grow with them. Up to 50 MB
 * of what has no lines, or is no regular file, such as a pipe, are read into memory.
 *
 * @throws CatalogueError when it is not JSON in UTF-8, or with all validation problems, by line and JSON path
 */
export async function readCatalogueFile(path: string): Promise<CatalogueSource> {
  const file = await openFile(path);
  if (!(await hasLines(file))) return parseCatalogue(parseJson(path, await file.whole()));
  const problems: Problem[] = [];
  const report = (path: PropertyKey[], message: string) => problems.push({ path, message });
  const check = bugChecker();
  const numbers: number[] = [];
  const reader = lineReader(file, (found) => problems.push(...found));
  for await (const { bug, number } of reader.bugs()) {
    numbers.push(number);
    check(bug, [...linePath(number), 'bug'], report);
  }
  const settings = validateCatalogue(reader.settings());
  if ('problems' in settings) problems.unshift(...settings.problems);
  if ('problems' in settings || problems.length > 0) throw catalogueError(problems);
  const bugs = {
    async *[Symbol.asyncIterator]() {
      await file.requireUnchanged();
      for await (const { bug } of lineReader(file, refuse).bugs()) yield bug;
    },
  };
  const pathOf = (index: number) => [...linePath(numbers[index] ?? 0), 'bug'];
  return { ...settings.catalogue, bugs, pathOf };
}

function refuse(problems: Problem[]): never {
  throw catalogueError(problems);
}

const CHUNK_BYTES = 262_144;
const MAX_WHOLE_FILE_BYTES = 50_000_000;

type SourceFile = Awaited<ReturnType<typeof openFile>>;

/** A file that is read several times. What is no regular file is in memory. */
async function openFile(path: string) {
  const opened = await stat(path);
  const content = opened.isFile() ? undefined : await readFile(path);
  return {
    path,

    chunks: () => (content ? [content] : createReadStream(path, { highWaterMark: CHUNK_BYTES })),

    async range(start: number, length: number): Promise<Buffer> {
      if (content !== undefined) return content.subarray(start, start + length);
      const file = await open(path);
      try {
        return (await file.read(Buffer.alloc(length), 0, length, start)).buffer;
      } finally {
        await file.close();
      }
    },

    /** @throws CatalogueError for more than 50 MB */
    async whole(): Promise<Buffer> {
      if ((content?.length ?? opened.size) <= MAX_WHOLE_FILE_BYTES) return content ?? readFile(path);
      throw new CatalogueError(`${path} is larger than 50 MB: write a line for each bug`);
    },

    /** @throws CatalogueError when the file has changed since it was opened */
    async requireUnchanged(): Promise<void> {
      const { mtimeMs, size } = await stat(path);
      if (content !== undefined || (mtimeMs === opened.mtimeMs && size === opened.size)) return;
      throw new CatalogueError(`${path} has changed meanwhile`);
    },
  };
}

const anyObject = z.record(z.string(), z.unknown());

/** Whether the first line is an object without bugs, rather than a part of one. */
async function hasLines(file: SourceFile): Promise<boolean> {
  for await (const { content } of linesOf(file.chunks())) {
    const { data } = anyObject.safeParse(jsonOf(content.toString()));
    return data !== undefined && !Object.hasOwn(data, 'bugs');
  }
  return false;
}

/**
 * Reads the lines of a file.
 *
 * @param report receives what is wrong with them
 */
function lineReader(file: SourceFile, report: (problems: Problem[]) => void) {
  let settings: unknown;

  /** @returns the value as the schema has it; undefined when it is wrong */
  function parse<T>(schema: z.ZodType<T>, given: unknown, { number }: Line): T | undefined {
    const { data, error } = schema.safeParse(given);
    if (error !== undefined) {
      report(error.issues.map(({ path, message }) => ({ path: [...linePath(number), ...path], message })));
    }
    return data;
  }

  /** The data of an attachment, which is read again when it is needed. */
  function dataIn({ start, content: { length } }: Line): AttachmentData {
    return {
      async read() {
        const given = parseJson(file.path, await file.range(start, length));
        return attachmentLine.parse(given).attachment.data.read();
      },
    };
  }

  function addAttachment(given: unknown, line: Line, bug: CatalogueBug | undefined) {
    const parsed = parse(attachmentLine, given, line);
    if (parsed === undefined || bug === undefined) return;
    const { bug_id, ...fields } = parsed.attachment;
    if (bug_id !== undefined && bug_id !== bug.id) {
      const path = [...linePath(line.number), 'attachment', 'bug_id'];
      report([{ path, message: 'must be the id of the bug in the line before' }]);
    }
    bug.attachments ??= [];
    bug.attachments.push({ ...fields, data: dataIn(line) });
    if (bug.attachments.length > MAX_ATTACHMENTS_A_BUG) {
      report([
        { path: linePath(line.number), message: `a bug has at most ${MAX_ATTACHMENTS_A_BUG} attachments` },
      ]);
    }
  }

  return {
    /** What was found when the bugs were read. */
    settings: () => settings ?? {},

    async *bugs(): AsyncGenerator<{ bug: CatalogueBug; number: number }> {
      let current: { bug: CatalogueBug | undefined; number: number } | undefined;
      function* end() {
        if (current?.bug !== undefined) yield { bug: current.bug, number: current.number };
      }
      for await (const line of linesOf(file.chunks())) {
        const { number } = line;
        const problem = (message: string) => report([{ path: linePath(number), message }]);
        const given = parse(anyObject, parseJson(`${file.path}, line ${number},`, line.content), line);
        if (given === undefined) continue;
        if (Object.hasOwn(given, 'bug')) {
          yield* end();
          current = { bug: parse(bugLine, given, line)?.bug, number };
        } else if (Object.hasOwn(given, 'attachment')) {
          if (current === undefined) problem('must follow the line of its bug');
          addAttachment(given, line, current?.bug);
        } else if (settings === undefined) {
          settings = given;
          if (Object.hasOwn(given, 'bugs')) problem('must not have bugs, which are lines of their own');
        } else {
          problem('is a second line with settings');
        }
      }
      yield* end();
    },
  };
}

/**
 * The value of JSON in UTF-8.
 *
 * @param name of what is read, for errors
 * @throws CatalogueError when it is not JSON in UTF-8
 */
function parseJson(name: string, content: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    // Decoding it leniently would store U+FFFD.
    throw new CatalogueError(`${name} is not valid UTF-8`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(`${name} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
