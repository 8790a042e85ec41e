import { createHash } from 'node:crypto';
import type { CatalogueBug } from '../../lib/catalogue/schema.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import type { ImportContext } from './copy-product.ts';
import type { Problem } from './problems.ts';
import { type AttachmentList, readData } from './read-attachments.ts';
import { sanitizeCatalogue } from './sanitize.ts';
import { commentsResponse } from './source-comments.ts';
import type { SourceAttachment, SourceBug, SourceHistory } from './source-schema.ts';

/** A bug of Bugzilla as a catalogue has it. */
export interface BugCopy {
  id: number;
  last_change_time: string;
  digest: string;
  bug: CatalogueBug;
  /** whether its comments have tags, though none may be set */
  showsTags: boolean;
  /** what was changed or left out */
  problems: Problem[];
}

/** What was read of a bug together with other bugs. */
export interface ReadParts {
  /** undefined: it could not be read */
  history: SourceHistory | undefined;
  attachments: AttachmentList;
}

/**
 * Reads one bug with its comments and the data of its attachments. Errors that concern this bug only become problems.
 *
 * @param customTypes the types of the copied custom fields, by name
 * @returns undefined when it could not be read
 * @throws what Bugzilla.get throws, if it concerns other bugs too
 */
export async function readBug(
  { bugzilla, problems }: Pick<ImportContext, 'bugzilla' | 'problems'>,
  source: SourceBug,
  parts: ReadParts,
  customTypes: ReadonlyMap<string, number>,
): Promise<BugCopy | undefined> {
  const copy = await unlessRefused(read(bugzilla, source, parts, customTypes), ({ message }) => message);
  if (typeof copy !== 'string') return copy;
  problems.add({ kind: 'bugs not copied', where: `bug ${source.id}`, why: copy });
  return undefined;
}

/** @returns the copy, or why there is none */
async function read(
  bugzilla: Bugzilla,
  source: SourceBug,
  { history, attachments: list }: ReadParts,
  customTypes: ReadonlyMap<string, number>,
): Promise<BugCopy | string> {
  const { id, last_change_time } = source;
  if (history === undefined) return 'Bugzilla does not return its history';
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsResponse);
  const comments = bugs[id]?.comments;
  if (comments === undefined) return 'Bugzilla does not return its comments';
  const { attachments, unread } = await readAttachments(bugzilla, id, list);
  const converted = catalogueBug(source, { comments, history, attachments, customTypes });
  const { catalogue, removed } = sanitizeCatalogue('bugs', converted.bug);
  const [bug] = catalogue?.bugs ?? [];
  if (bug === undefined) return removed.map(({ why }) => why).join('; ');
  const omitted = removed.map(({ what, why }): Problem => {
    return { kind: 'parts of products and bugs not copied', where: `bug ${id}, ${what}`, why };
  });
  return {
    id,
    last_change_time,
    digest: digestOf(source),
    bug,
    showsTags: comments.some(({ tags }) => tags !== undefined),
    problems: [...unread, ...converted.problems, ...omitted],
  };
}

/** The attachments of a bug with their data, and those that could not be read. */
async function readAttachments(bugzilla: Bugzilla, bug: number, list: AttachmentList) {
  const attachments: SourceAttachment[] = [];
  const unread: Problem[] = [];
  const leaveOut = (where: string, why: string) =>
    unread.push({ kind: 'parts of products and bugs not copied', where, why });
  if ('why' in list) {
    leaveOut(`attachments of bug ${bug}`, list.why);
    return { attachments, unread };
  }
  for (const { size, ...attachment } of list) {
    const read = await readData(bugzilla, attachment.id, { size });
    if ('why' in read) leaveOut(`bug ${bug}, attachment ${attachment.id}`, read.why);
    else attachments.push({ ...attachment, data: read.data });
  }
  return { attachments, unread };
}

/** Real names follow with their users. */
const DETAILS = /_detail$/;

/**
 * A digest of what a list of bugs shows of one: what is renamed in Bugzilla, or changed by SQL, leaves the time of last change as it is.
 * The order of fields and of elements does not count.
 */
export function digestOf(source: SourceBug): string {
  const fields = Object.entries(source).filter(([name]) => !DETAILS.test(name));
  const sorted = fields
    .map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 22);
}
