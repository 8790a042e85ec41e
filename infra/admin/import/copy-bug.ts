import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { CatalogueError } from '../../../lib/catalogue/errors.ts';
import type { Summary } from '../../../lib/catalogue/summary.ts';
import { ConditionFailed } from '../../../lib/dynamodb/errors.ts';
import { type Bugzilla, BugzillaError } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import { writeCheckpoint } from './checkpoint-repository.ts';
import type { ImportContext } from './copy-product.ts';
import type { Problem } from './problems.ts';
import { reasonOf, sanitizeCatalogue } from './sanitize.ts';
import { commentsResponse, type SourceBug, type SourceComment, type SourceHistory } from './source-schema.ts';

/**
 * Copies one bug with its comments and history, and writes its checkpoint. Errors that concern this bug only become
 * problems.
 *
 * @param history undefined: it could not be read
 * @returns undefined when it could not be copied
 * @throws what Bugzilla.get and applyCatalogue throw, if it concerns other bugs too
 */
export async function copyBug(
  { table, bugzilla, groups, problems }: ImportContext,
  source: SourceBug,
  history: SourceHistory | undefined,
): Promise<Summary | undefined> {
  const where = `bug ${source.id}`;
  try {
    if (history === undefined) throw new CatalogueError('Bugzilla does not return its history');
    const comments = await commentsOf(bugzilla, source.id);
    const converted = catalogueBug(source, comments, history);
    const { catalogue, removed } = sanitizeCatalogue('bugs', converted.bug);
    if (catalogue === undefined) throw new CatalogueError(removed.map(({ why }) => why).join('; '));
    for (const name of source.groups) await groups.ensureName(name);
    const summary = await applyCatalogue(table, catalogue);
    const found = [
      ...converted.problems,
      ...removed.map(({ what, why }): Problem => {
        return { kind: 'parts of products and bugs not copied', where: `${where}, ${what}`, why };
      }),
    ];
    // There may be more than a call takes arguments.
    for (const problem of found) problems.add(problem);
    const { last_change_time } = source;
    await writeCheckpoint(table, source.id, { source: bugzilla.url, last_change_time, problems: found });
    return summary;
  } catch (error) {
    const why = bugErrorReason(error);
    if (why === undefined) throw error;
    problems.add({ kind: 'bugs not copied', where, why });
    return undefined;
  }
}

async function commentsOf(bugzilla: Bugzilla, id: number): Promise<SourceComment[]> {
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsResponse);
  const comments = bugs[id]?.comments ?? [];
  if (comments.length === 0) throw new CatalogueError('all comments are hidden from the API key');
  return comments;
}

/** The reason of an error that concerns this bug only; undefined for others. */
function bugErrorReason(error: unknown): string | undefined {
  if (error instanceof ConditionFailed) return 'it was changed here concurrently; run the import again';
  if (error instanceof CatalogueError) return reasonOf(error);
  return error instanceof BugzillaError ? error.message : undefined;
}
