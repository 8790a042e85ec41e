import * as z from 'zod';
import type { CounterName } from '../table/keys.ts';
import { CatalogueError } from './errors.ts';
import { lineOf, linesOf } from './lines.ts';
import { hasLines, openFile, parseJson } from './read.ts';

const anyObject = z.record(z.string(), z.unknown());
type AnyObject = z.infer<typeof anyObject>;

type NumberedKind = Extract<CounterName, 'bug' | 'comment' | 'attachment' | 'flag'>;
const NUMBERED: readonly NumberedKind[] = ['bug', 'comment', 'attachment', 'flag'];
/** The lists of each kind that have ids: flags of a bug before those of its attachments, as in a file of lines. */
const PARTS: Record<NumberedKind, Partial<Record<string, NumberedKind>>> = {
  bug: { comments: 'comment', flags: 'flag', attachments: 'attachment' },
  comment: {},
  attachment: { flags: 'flag' },
  flag: {},
};
/** What refers to ids: an id that something refers to is not given to another one. */
const REFERENCES: Record<NumberedKind, Partial<Record<string, NumberedKind>>> = {
  bug: { blocks: 'bug', depends_on: 'bug', dupe_of: 'bug' },
  comment: { attachment_id: 'attachment' },
  attachment: { bug_id: 'bug' },
  flag: {},
};
const MEMBERS: Partial<Record<string, NumberedKind>> = { bug: 'bug', attachment: 'attachment' };

/** Called with an entry of a catalogue, and returns it, or a copy with an id. */
type Visit = (kind: NumberedKind, entry: AnyObject) => AnyObject;

/**
 * Gives ids to what has none of the bugs, comments, attachments and flags of a catalogue file: consecutive ones for each
 * kind, in the order of the file, above the greatest that the file has or refers to. Ids that are there stay. The result
 * depends on the file and `from` alone. A file of lines is read twice; memory holds one line.
 *
 * @param from the least id to give
 * @returns the content of the numbered file
 * @throws CatalogueError when the file is not JSON in UTF-8, or changes meanwhile
 */
export async function* numberCatalogue(path: string, from = 1): AsyncGenerator<string> {
  const file = await openFile(path);
  if (!(await hasLines(file))) {
    const content = await file.whole();
    const given = objectIn(path, content);
    const numbered = numberedObject(given, from);
    yield numbered === given ? content.toString() : `${JSON.stringify(numbered, undefined, 2)}\n`;
    return;
  }
  const ids = idAllocation(from);
  const nameOf = (line: number) => `line ${line} of ${path}`;
  for await (const { number, content } of linesOf(file.chunks())) {
    visitLine(objectIn(nameOf(number), content), ids.note);
  }
  await file.requireUnchanged();
  for await (const { number, content } of linesOf(file.chunks())) {
    const given = objectIn(nameOf(number), content);
    const numbered = visitLine(given, ids.assign);
    yield numbered === given ? `${content.toString()}\n` : lineOf(numbered);
  }
}

/** The same of a catalogue that is one object: itself, if nothing of it lacks an id. */
export function numberedObject<T extends object>(given: T & { bugs?: unknown }, from = 1): T {
  const ids = idAllocation(from);
  visitList('bug', given.bugs, ids.note);
  const bugs = visitList('bug', given.bugs, ids.assign);
  return bugs === given.bugs ? given : { ...given, bugs };
}

function objectIn(name: string, content: Uint8Array): AnyObject {
  const { data } = anyObject.safeParse(parseJson(name, content));
  if (data === undefined) throw new CatalogueError(`${name} is not a JSON object`);
  return data;
}

/** Notes the ids of a file, then assigns those that follow. */
function idAllocation(from: number): { note: Visit; assign: Visit } {
  const next = new Map(NUMBERED.map((kind) => [kind, from]));
  const reserve = (kind: NumberedKind, given: unknown) => {
    for (const id of [given].flat()) {
      if (Number.isSafeInteger(id)) next.set(kind, Math.max(next.get(kind) ?? from, Number(id) + 1));
    }
  };
  return {
    note(kind, entry) {
      reserve(kind, entry['id']);
      for (const [name, target] of entriesOf(REFERENCES[kind])) reserve(target, entry[name]);
      return entry;
    },
    assign(kind, entry) {
      if (Object.hasOwn(entry, 'id')) return entry;
      const id = next.get(kind) ?? from;
      next.set(kind, id + 1);
      return { id, ...entry };
    },
  };
}

const entriesOf = (kinds: Partial<Record<string, NumberedKind>>): [string, NumberedKind][] =>
  Object.entries(kinds).flatMap(([name, kind]) => (kind === undefined ? [] : [[name, kind]]));

/** @returns the same object, if nothing of it has changed */
function visitLine(line: AnyObject, visit: Visit): AnyObject {
  return replaceMembers(line, MEMBERS, (kind, value) => visitEntry(kind, value, visit));
}

/** Visits an entry before its parts. What is not an object is left to `apply`, which refuses it. */
function visitEntry(kind: NumberedKind, given: unknown, visit: Visit): unknown {
  const { data: object } = anyObject.safeParse(given);
  if (object === undefined) return given;
  const visited = visit(kind, object);
  const entry = replaceMembers(visited, PARTS[kind], (part, value) => visitList(part, value, visit));
  return entry === object ? given : entry;
}

function visitList(kind: NumberedKind, given: unknown, visit: Visit): unknown {
  if (!Array.isArray(given)) return given;
  const list = given.map((one: unknown) => visitEntry(kind, one, visit));
  return list.every((one, index) => one === given[index]) ? given : list;
}

function replaceMembers(
  given: AnyObject,
  kinds: Partial<Record<string, NumberedKind>>,
  replace: (kind: NumberedKind, value: unknown) => unknown,
): AnyObject {
  const changed = entriesOf(kinds).flatMap(([name, kind]) => {
    const value = replace(kind, given[name]);
    return value === given[name] ? [] : [[name, value]];
  });
  return changed.length === 0 ? given : { ...given, ...Object.fromEntries(changed) };
}
