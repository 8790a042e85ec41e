import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { type Line, lineOf, linesOf, linesOfBug } from '../../../lib/catalogue/lines.ts';
import { readBugLines } from '../../../lib/catalogue/read.ts';
import type { Catalogue, CatalogueBug } from '../../../lib/catalogue/schema.ts';
import { UsageError } from '../context.ts';
import { replaceFile } from '../replace-file.ts';
import { problemKinds } from './problems.ts';

/** What the line of a bug says beside the bug. */
const notes = z.object({
  /** of the bug in Bugzilla, when it was read */
  last_change_time: z.string(),
  /** what was changed or left out */
  problems: z.array(z.object({ kind: z.enum(problemKinds), where: z.string(), why: z.string() })),
  /** how many lines of attachments follow */
  attachments: z.int(),
  /** whether the table has it so */
  is_applied: z.boolean(),
});
type Notes = z.infer<typeof notes>;

const bugLine = z.looseObject({ bug: z.looseObject({ id: z.int() }), import: notes });

/** The last line of a bug in the file. */
interface KnownBug extends Notes {
  line: number;
}

export type ImportFile = Awaited<ReturnType<typeof openImportFile>>;

/**
 * Opens the catalogue file of an import, which only its owner can read. Bugs are appended as they are read; where a bug
 * has several lines, the last one counts, until the file is completed. What an interrupted run wrote last may be torn:
 * it is left out.
 *
 * @throws UsageError when the file is not one of an import
 */
export async function openImportFile(path: string) {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  const { known, lines } = await readKnown(path, file);
  let next = lines + 1;

  /** The content when it is completed: of each bug the last line, and the settings. */
  async function* completed({ bugs: _, ...settings }: Catalogue): AsyncGenerator<string> {
    let isKept = false;
    for await (const line of linesOf(createReadStream(path))) {
      const parsed = bugLine.safeParse(parseLine(path, line));
      if (parsed.success) {
        const last = known.get(parsed.data.bug.id);
        isKept = last?.line === line.number;
        if (isKept) {
          const { is_applied } = last ?? parsed.data.import;
          yield lineOf({ ...parsed.data, import: { ...parsed.data.import, is_applied } });
        }
      } else if (isKept && isAttachment(line)) yield `${line.content.toString()}\n`;
    }
    yield lineOf(settings);
  }

  return {
    /** What is known of the bugs of the file, by id. */
    get known(): ReadonlyMap<number, Notes> {
      return known;
    },

    /** Leaves out a bug when the file is completed, so that the next run requests it again. */
    forget: (id: number): boolean => known.delete(id),

    /** Notes that the table has a bug as the file has it. */
    setApplied(id: number): void {
      const bug = known.get(id);
      if (bug !== undefined) bug.is_applied = true;
    },

    /** Appends a bug with its attachments. */
    async add(
      id: number,
      bug: CatalogueBug,
      noted: Pick<Notes, 'last_change_time' | 'problems'>,
    ): Promise<void> {
      const { attachments = [] } = bug;
      const all = { ...noted, attachments: attachments.length, is_applied: false };
      for await (const line of linesOfBug(bug, all)) await file.appendFile(line);
      known.set(id, { ...all, line: next });
      next += 1 + attachments.length;
    },

    /** The bugs with these ids, as their last lines have them. */
    bugs: (ids: ReadonlySet<number>): AsyncIterable<CatalogueBug> => ({
      async *[Symbol.asyncIterator]() {
        for await (const { bug, number } of readBugLines(path)) {
          if (bug.id !== undefined && ids.has(bug.id) && known.get(bug.id)?.line === number) yield bug;
        }
      },
    }),

    /** Makes it a file that can be applied: with each bug once, and the settings. */
    complete: (settings: Catalogue): Promise<void> => replaceFile(path, completed(settings)),

    close: (): Promise<void> => file.close(),
  };
}

const isAttachment = ({ content }: Line): boolean =>
  content.toString('latin1', 0, 20).includes('"attachment"');

/** Reads what the lines say of bugs, and cuts off a line without end. */
async function readKnown(path: string, file: FileHandle) {
  const { size } = await file.stat();
  const known = new Map<number, KnownBug & { found: number }>();
  let last: { found: number } | undefined;
  let lines = 0;
  for await (const line of linesOf(createReadStream(path))) {
    if (line.start + line.content.length === size) {
      await file.truncate(line.start);
      break;
    }
    lines = line.number;
    if (isAttachment(line)) {
      if (last !== undefined) last.found += 1;
      continue;
    }
    const given = parseLine(path, line);
    const { data } = bugLine.safeParse(given);
    if (data === undefined && Object.hasOwn(given, 'bug')) {
      throw new UsageError(`${path} is not a file of an import`);
    }
    if (data === undefined) continue;
    const bug = { ...data.import, line: line.number, found: 0 };
    known.set(data.bug.id, bug);
    last = bug;
  }
  for (const [id, { found, attachments }] of known) if (found < attachments) known.delete(id);
  return { known: new Map<number, KnownBug>(known), lines };
}

/** @throws UsageError when it is no JSON object */
function parseLine(path: string, { number, content }: Line): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(content.toString()));
  } catch {
    throw new UsageError(`${path}, line ${number}, is not JSON: it is not a file of an import`);
  }
}
