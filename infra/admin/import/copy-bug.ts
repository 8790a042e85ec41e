import type { CatalogueBug } from '../../../lib/catalogue/schema.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import type { ImportContext } from './copy-product.ts';
import type { Problem } from './problems.ts';
import { sanitizeCatalogue } from './sanitize.ts';
import { commentsResponse, type SourceComment } from './source-comments.ts';
import {
  ATTACHMENT_FIELDS,
  attachmentDataResponse,
  attachmentsResponse,
  type SourceAttachment,
  type SourceBug,
  type SourceHistory,
} from './source-schema.ts';

/** A bug of Bugzilla as a catalogue has it. */
export interface BugCopy {
  id: number;
  last_change_time: string;
  bug: CatalogueBug;
  /** what was changed or left out */
  problems: Problem[];
}

/**
 * Reads one bug with its comments and attachments. Errors that concern this bug only become problems.
 *
 * @param history undefined: it could not be read
 * @param customTypes the types of the copied custom fields, by name
 * @returns undefined when it could not be read
 * @throws what Bugzilla.get throws, if it concerns other bugs too
 */
export async function readBug(
  { bugzilla, problems, hidden }: Pick<ImportContext, 'bugzilla' | 'problems' | 'hidden'>,
  source: SourceBug,
  history: SourceHistory | undefined,
  customTypes: ReadonlyMap<string, number>,
): Promise<BugCopy | undefined> {
  const copy = await unlessRefused(read(bugzilla, source, history, customTypes), ({ message }) => message);
  if (typeof copy !== 'string') return copy;
  if (copy === ALL_HIDDEN) hidden.comments.add(source.id);
  problems.add({ kind: 'bugs not copied', where: `bug ${source.id}`, why: copy });
  return undefined;
}

const ALL_HIDDEN = 'all comments are hidden from the API key';

/** @returns the copy, or why there is none */
async function read(
  bugzilla: Bugzilla,
  source: SourceBug,
  history: SourceHistory | undefined,
  customTypes: ReadonlyMap<string, number>,
): Promise<BugCopy | string> {
  const { id, last_change_time } = source;
  if (history === undefined) return 'Bugzilla does not return its history';
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsResponse);
  const comments = bugs[id]?.comments ?? [];
  if (comments.length === 0) return ALL_HIDDEN;
  const unread: Problem[] = [];
  const attachments = await unlessRefused(readAttachments(bugzilla, id, comments), ({ message: why }) => {
    unread.push({ kind: 'parts of products and bugs not copied', where: `attachments of bug ${id}`, why });
    return [];
  });
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
    bug,
    problems: [...unread, ...converted.problems, ...omitted],
  };
}

/** The attachments of a bug, if a comment is about one. Their data is read one by one: each may be large. */
async function readAttachments(
  bugzilla: Bugzilla,
  bug: number,
  comments: SourceComment[],
): Promise<SourceAttachment[]> {
  if (comments.every(({ attachment_id }) => attachment_id === undefined)) return [];
  const query = { include_fields: ATTACHMENT_FIELDS.join(',') };
  const { bugs } = await bugzilla.get(`bug/${bug}/attachment`, attachmentsResponse, { query });
  const complete: SourceAttachment[] = [];
  for (const attachment of bugs[bug] ?? []) {
    const path = `bug/attachment/${attachment.id}`;
    const { attachments } = await bugzilla.get(path, attachmentDataResponse, {
      query: { include_fields: 'data' },
    });
    const data = attachments[attachment.id]?.data;
    if (data !== undefined) complete.push({ ...attachment, data });
  }
  return complete;
}
