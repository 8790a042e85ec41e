import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { type Line, lineOf, linesOf, linesOfBug } from '../../lib/catalogue/lines.ts';
import { readBugLines } from '../../lib/catalogue/read.ts';
import type { Catalogue, CatalogueBug } from '../../lib/catalogue/schema.ts';
import { UsageError } from '../admin/context.ts';
import { replaceFile } from '../admin/replace-file.ts';
import { type LastRun, lastRun, NO_RUN, nextRun } from './last-run.ts';
import { problemKinds } from './problems.ts';
import { shownComments } from './source-comments.ts';

/** What the line of a bug says beside the bug. */
const notes = z.object({
  /** the URL of the Bugzilla */
  source: z.string(),
  /** the login of the user who read it; '' without a key, absent in files of versions before 1.2.0 */
  reader: z.string().optional(),
  /** of the bug in Bugzilla, when it was read */
  last_change_time: z.string(),
  /** of what a list of bugs shows of it; absent in files of earlier versions */
  digest: z.string().optional(),
  /** what was changed or left out */
  problems: z.array(z.object({ kind: z.enum(problemKinds), where: z.string(), why: z.string() })),
  /** how many lines of attachments follow */
  attachments: z.int(),
  /** when it was read, `YYYY-MM-DDThh:mm:ssZ`; absent in files of earlier versions */
  read_at: z.string().optional(),
  /** whether the table has it so */
  is_applied: z.boolean(),
});
type Notes = z.infer<typeof notes>;

const bugLine = z.looseObject({
  bug: z.looseObject({
    id: z.int(),
    comments: z.array(z.looseObject({ id: z.int().optional() })).optional(),
  }),
  import: notes,
});
const otherLine = z.looseObject({
  bug: z.never().optional(),
  import: lastRun.optional(),
});

/** The last line of a bug in the file. */
interface KnownBug extends Notes {
  line: number;
  /** that Bugzilla has shown */
  comments: number;
  /** lines of attachments that follow */
  found: number;
}

export type ImportFile = Awaited<ReturnType<typeof openImportFile>>;

/**
 * Opens the catalogue file of an import, which only its owner can read. Bugs are appended as they are read; where a bug
 * has several lines, the last one counts, until the file is completed. What an interrupted run wrote last may be torn:
 * it is left out.
 *
 * @param source the URL of the Bugzilla
 * @param reader the login of the user who reads it; '' without a key
 * @param read_at of what is appended, `YYYY-MM-DDThh:mm:ssZ`
 * @param former logins that users had, by when that was followed: what was read before, and names them, is not known any more
 * @throws UsageError when the file is not one of an import from there
 */
export async function openImportFile(
  path: string,
  source: string,
  reader: string,
  read_at: string,
  former: readonly { login: string; since: string }[],
) {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  const { known, lines, before } = await readKnown(path, source, file, former).catch(
    async (error: unknown) => {
      await file.close();
      throw error;
    },
  );
  let next = lines + 1;

  /** The content when it is completed: of each bug the last line, and the settings. */
  async function* completed({ bugs: _, ...settings }: Catalogue, seen: LastRun): AsyncGenerator<string> {
    let last: KnownBug | undefined;
    for await (const line of linesOf(createReadStream(path))) {
      const given = parseLine(path, line);
      if (given?.success === true) {
        const { bug, import: noted } = given.data;
        last = known.get(bug.id)?.line === line.number ? known.get(bug.id) : undefined;
        if (last !== undefined) yield lineOf({ bug, import: { ...noted, is_applied: last.is_applied } });
      } else if (given === undefined && last !== undefined) yield `${line.content.toString()}\n`;
    }
    yield lineOf({ ...settings, import: nextRun(before, seen) });
  }

  return {
    /** What is known of the bugs of the file, by id. Those that are removed are left out when it is completed. */
    known,

    /** What the last run that was completed has seen of the settings. */
    before,

    /** Appends a bug with its attachments. */
    async add(
      id: number,
      bug: CatalogueBug,
      noted: Pick<Notes, 'last_change_time' | 'digest' | 'problems'>,
    ): Promise<void> {
      const { last_change_time, digest, problems } = noted;
      const attachments = bug.attachments?.length ?? 0;
      const all = {
        source,
        reader,
        read_at,
        last_change_time,
        digest,
        problems,
        attachments,
        is_applied: false,
      };
      for await (const line of linesOfBug(bug, all)) await file.appendFile(line);
      known.set(id, { ...all, line: next, comments: shownComments(bug.comments), found: attachments });
      next += 1 + attachments;
    },

    /** The bugs with these ids, as their last lines have them. */
    bugs: (ids: ReadonlySet<number>): AsyncIterable<CatalogueBug> => ({
      async *[Symbol.asyncIterator]() {
        for await (const { bug, number } of readBugLines(path)) {
          if (bug.id !== undefined && ids.has(bug.id) && known.get(bug.id)?.line === number) yield bug;
        }
      },
    }),

    /** Makes it a file that can be applied: with each bug once, and the settings, with what was seen of them. */
    complete: (settings: Catalogue, seen: LastRun): Promise<void> =>
      replaceFile(path, completed(settings, seen)),

    close: (): Promise<void> => file.close(),
  };
}

/**
 * Takes the lock of the file of an import, until it is closed: an exclusive transaction on an empty SQLite file beside it, which the operating system releases when the
 * process ends.
 *
 * @throws UsageError when another import has it
 */
export async function lockImportFile(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true });
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes('locked'))) throw error;
    throw new UsageError(`Another import writes ${path}. Nothing was changed: wait until it has ended`);
  }
}

/** Reads what the lines say of bugs, and cuts off a line without end. */
async function readKnown(
  path: string,
  source: string,
  file: FileHandle,
  former: readonly { login: string; since: string }[],
) {
  const outdated = new Set<number>();
  const since = new Map<unknown, string>();
  for (const one of former) {
    if ((since.get(one.login) ?? '') < one.since) since.set(one.login, one.since);
  }
  const isFormer = (login: unknown, { read_at = '' }: Notes) => read_at < (since.get(login) ?? '');
  let current = 0;
  const { size } = await file.stat();
  const known = new Map<number, KnownBug>();
  let last: KnownBug | undefined;
  let lines = 0;
  let before = NO_RUN;
  for await (const line of linesOf(createReadStream(path))) {
    if (line.start + line.content.length === size) {
      await file.truncate(line.start);
      break;
    }
    lines = line.number;
    const given = parseLine(path, line);
    if (given === undefined && last !== undefined) {
      last.found += 1;
      const { read_at = '' } = last;
      const isNamed = former.some(
        ({ login, since }) => read_at < since && line.content.includes(JSON.stringify(login)),
      );
      if (isNamed) outdated.add(current);
    }
    if (given?.success === false) before = given.settings.import ?? before;
    if (given?.success !== true) continue;
    const { bug, import: noted } = given.data;
    if (noted.source !== source) throw new UsageError(`${path} is of an import from ${noted.source}`);
    last = { ...noted, line: line.number, comments: shownComments(bug.comments ?? []), found: 0 };
    known.set(bug.id, last);
    current = bug.id;
    outdated.delete(current);
    if (former.length > 0 && peopleIn(bug).some((login) => isFormer(login, noted))) outdated.add(current);
  }
  // What it was is known: that it has to be read again.
  for (const id of outdated) {
    const bug = known.get(id);
    if (bug !== undefined) known.set(id, { ...bug, last_change_time: '' });
  }
  for (const [id, { found, attachments }] of known) if (found < attachments) known.delete(id);
  return { known, lines, before };
}

/**
 * Parses the line of a bug.
 *
 * @returns undefined for an attachment, whose line may be long, and no success for settings
 * @throws UsageError when it is not of a file of an import
 */
function parseLine(path: string, { number, content }: Line) {
  if (content.toString('latin1', 0, 20).startsWith('{"attachment"')) return undefined;
  try {
    const given: unknown = JSON.parse(content.toString());
    const parsed = bugLine.safeParse(given);
    return parsed.success
      ? { success: true as const, data: parsed.data }
      : { success: false as const, settings: otherLine.parse(given) };
  } catch {
    throw new UsageError(`${path} is not a file of an import: see line ${number}`);
  }
}

const named = z.object({
  reporter: z.unknown(),
  assigned_to: z.unknown(),
  qa_contact: z.unknown(),
  cc: z.array(z.unknown()).default([]),
  flags: z.array(z.object({ setter: z.unknown(), requestee: z.unknown() })).default([]),
  comments: z.array(z.object({ creator: z.unknown() })).default([]),
  history: z.array(z.object({ who: z.unknown() })).default([]),
});

/** The logins in the line of a bug, but for those in the texts of its history, which Bugzilla does not change. */
function peopleIn(bug: unknown): unknown[] {
  const { data } = named.safeParse(bug);
  if (data === undefined) return [];
  const { reporter, assigned_to, qa_contact, cc, flags, comments, history } = data;
  return [
    ...[reporter, assigned_to, qa_contact, ...cc],
    ...flags.flatMap(({ setter, requestee }) => [setter, requestee]),
    ...comments.map(({ creator }) => creator),
    ...history.map(({ who }) => who),
  ];
}
