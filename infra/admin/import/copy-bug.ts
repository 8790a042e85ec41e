import { planCatalogue } from '../../../lib/catalogue/apply.ts';
import type { Summary } from '../../../lib/catalogue/summary.ts';
import { ConditionFailed } from '../../../lib/dynamodb/errors.ts';
import { BugzillaError } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import { writeCheckpoint } from './checkpoint-repository.ts';
import type { ImportContext } from './copy-product.ts';
import type { Problem } from './problems.ts';
import { reasonOf, sanitizeCatalogue } from './sanitize.ts';
import {
  ATTACHMENT_FIELDS,
  attachmentDataResponse,
  attachmentsResponse,
  commentsResponse,
  type SourceAttachment,
  type SourceBug,
  type SourceComment,
  type SourceHistory,
} from './source-schema.ts';

/**
 * Copies one bug with its comments, attachments and history, and writes its checkpoint. Errors that concern this bug only become
 * problems.
 *
 * @param history undefined: it could not be read
 * @returns undefined when it could not be copied
 * @throws what Bugzilla.get and the table throw, if it concerns other bugs too
 */
export async function copyBug(
  context: ImportContext,
  source: SourceBug,
  history: SourceHistory | undefined,
): Promise<Summary | undefined> {
  const copied = await copy(context, source, history).catch((error: unknown) => {
    if (error instanceof ConditionFailed) return 'it was changed here concurrently; run the import again';
    if (error instanceof BugzillaError) return error.message;
    throw error;
  });
  if (typeof copied !== 'string') return copied;
  context.problems.add({ kind: 'bugs not copied', where: `bug ${source.id}`, why: copied });
  return undefined;
}

/** @returns the summary, or why the bug is not copied */
async function copy(
  { table, bugzilla, groups, problems, customTypes }: ImportContext,
  source: SourceBug,
  history: SourceHistory | undefined,
): Promise<Summary | string> {
  const { id, last_change_time } = source;
  if (history === undefined) return 'Bugzilla does not return its history';
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsResponse);
  const comments = bugs[id]?.comments ?? [];
  if (comments.length === 0) return 'all comments are hidden from the API key';
  const unread: Problem[] = [];
  const attachments = await readAttachments(bugzilla, id, comments).catch((error: unknown) => {
    if (!(error instanceof BugzillaError)) throw error;
    const where = `attachments of bug ${id}`;
    unread.push({ kind: 'parts of products and bugs not copied', where, why: error.message });
    return [];
  });
  const converted = catalogueBug(source, { comments, history, attachments, customTypes });
  const { catalogue, removed } = sanitizeCatalogue('bugs', converted.bug);
  if (catalogue === undefined) return removed.map(({ why }) => why).join('; ');
  for (const name of source.groups) await groups.ensureName(name);
  const plan = await planCatalogue(table, catalogue);
  if (plan.problems.length > 0) return reasonOf(plan.problems);
  const summary = await plan.execute();
  const found = [
    ...unread,
    ...converted.problems,
    ...removed.map(({ what, why }): Problem => {
      return { kind: 'parts of products and bugs not copied', where: `bug ${id}, ${what}`, why };
    }),
  ];
  // There may be more than a call takes arguments.
  for (const problem of found) problems.add(problem);
  await writeCheckpoint(table, id, { source: bugzilla.url, last_change_time, problems: found });
  return summary;
}

/** The attachments of a bug, if a comment is about one. Their data is read one by one: each may be large. */
async function readAttachments(
  bugzilla: ImportContext['bugzilla'],
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
