import { planCatalogue } from '../../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import type { CatalogueBug } from '../../../lib/catalogue/schema.ts';
import { bugChecker } from '../../../lib/catalogue/validation.ts';
import { ConditionFailed } from '../../../lib/dynamodb/errors.ts';
import { unlessRefused } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import { writeCheckpoints } from './checkpoint-repository.ts';
import { execute, type ImportContext } from './copy-product.ts';
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

/** A bug of Bugzilla as a catalogue has it. */
export interface BugCopy {
  id: number;
  last_change_time: string;
  bug: CatalogueBug;
  /** of its attachments, in base64 */
  bytes: number;
  /** what was changed or left out */
  problems: Problem[];
}

const NOT_COPIED = 'bugs not copied';

/**
 * Reads one bug with its comments and attachments. Errors that concern this bug only become problems.
 *
 * @param history undefined: it could not be read
 * @returns undefined when it could not be read
 * @throws what Bugzilla.get and the table throw, if it concerns other bugs too
 */
export async function readBug(
  context: ImportContext,
  source: SourceBug,
  history: SourceHistory | undefined,
): Promise<BugCopy | undefined> {
  const copy = await unlessRefused(read(context, source, history), ({ message }) => message);
  if (typeof copy !== 'string') return copy;
  context.problems.add({ kind: NOT_COPIED, where: `bug ${source.id}`, why: copy });
  return undefined;
}

/** @returns the copy, or why there is none */
async function read(
  { bugzilla, groups, customTypes }: ImportContext,
  source: SourceBug,
  history: SourceHistory | undefined,
): Promise<BugCopy | string> {
  const { id, last_change_time } = source;
  if (history === undefined) return 'Bugzilla does not return its history';
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsResponse);
  const comments = bugs[id]?.comments ?? [];
  if (comments.length === 0) return 'all comments are hidden from the API key';
  const unread: Problem[] = [];
  const attachments = await unlessRefused(readAttachments(bugzilla, id, comments), ({ message: why }) => {
    unread.push({ kind: 'parts of products and bugs not copied', where: `attachments of bug ${id}`, why });
    return [];
  });
  const converted = catalogueBug(source, { comments, history, attachments, customTypes });
  const { catalogue, removed } = sanitizeCatalogue('bugs', converted.bug);
  const [bug] = catalogue?.bugs ?? [];
  if (bug === undefined) return removed.map(({ why }) => why).join('; ');
  for (const name of source.groups) await groups.ensureName(name);
  const omitted = removed.map(({ what, why }): Problem => {
    return { kind: 'parts of products and bugs not copied', where: `bug ${id}, ${what}`, why };
  });
  return {
    id,
    last_change_time,
    bug,
    bytes: attachments.reduce((sum, { data }) => sum + data.length, 0),
    problems: [...unread, ...converted.problems, ...omitted],
  };
}

/**
 * Writes bugs together, with their checkpoints; those that cannot be written so, one by one. What concerns one bug only
 * becomes a problem.
 */
export async function writeBugs(context: ImportContext, copies: readonly BugCopy[]): Promise<void> {
  const { table, bugzilla, problems } = context;
  const failed = async (why: string, wrong = copies): Promise<void> => {
    if (copies.length === 1) {
      for (const { id } of copies) problems.add({ kind: NOT_COPIED, where: `bug ${id}`, why });
      return;
    }
    const others = copies.filter((copy) => !wrong.includes(copy));
    if (others.length > 0) await writeBugs(context, others);
    for (const copy of wrong) await writeBugs(context, [copy]);
  };
  if (copies.length > 1 && haveDuplicates(copies)) return failed('');
  const catalogue = { ...parseCatalogue({}), bugs: copies.map(({ bug }) => bug) };
  const plan = await planCatalogue(table, catalogue);
  if (plan.problems.length > 0) {
    const places = new Set(plan.problems.map(({ path }) => path[1]));
    return failed(
      reasonOf(plan.problems),
      copies.filter((_, place) => places.has(place)),
    );
  }
  try {
    await execute(context, plan);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return failed('it was changed here concurrently; run the import again');
  }
  await writeCheckpoints(table, bugzilla.url, copies);
  // There may be more than a call takes arguments.
  for (const problem of copies.flatMap((copy) => copy.problems)) problems.add(problem);
}

/** Whether an untrusted server gave several bugs the same id, alias or comment. */
function haveDuplicates(copies: readonly BugCopy[]): boolean {
  let isFound = false;
  const check = bugChecker();
  for (const [at, { bug }] of copies.entries()) {
    check(bug, ['bugs', at], () => {
      isFound = true;
    });
  }
  return isFound;
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
