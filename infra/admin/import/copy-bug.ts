import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { CatalogueError } from '../../../lib/catalogue/errors.ts';
import type { Summary } from '../../../lib/catalogue/summary.ts';
import { ConditionFailed } from '../../../lib/dynamodb/errors.ts';
import { type Bugzilla, BugzillaError } from './bugzilla-client.ts';
import { catalogueBug } from './catalogue-bugs.ts';
import { writeCheckpoint } from './checkpoint-repository.ts';
import type { Copying } from './copy-product.ts';
import type { Finding } from './problems.ts';
import { reasonOf, sanitizeCatalogue } from './sanitize.ts';
import { commentsAnswer, type SourceBug, type SourceComment } from './source-schema.ts';

/**
 * Copies one bug with its comments, and remembers that.
 *
 * @returns what was done; nothing when it could not be copied
 * @throws what Bugzilla.get and applyCatalogue throw, but for what concerns this bug alone, which is a finding
 */
export async function copyBug(
  { table, bugzilla, groups, findings }: Copying,
  source: SourceBug,
): Promise<Summary | undefined> {
  const where = `bug ${source.id}`;
  try {
    const comments = await commentsOf(bugzilla, source.id);
    const translated = catalogueBug(source, comments);
    const { catalogue, leftOut } = sanitizeCatalogue('bugs', translated.bug);
    if (catalogue === undefined) throw new CatalogueError(leftOut.map(({ why }) => why).join('; '));
    for (const name of source.groups) await groups.withName(name);
    const summary = await applyCatalogue(table, catalogue);
    const found = [
      ...translated.findings,
      ...leftOut.map(({ what, why }): Finding => {
        return { kind: 'parts of products and bugs not copied', where: `${where}, ${what}`, why };
      }),
    ];
    findings.add(...found);
    const { last_change_time } = source;
    await writeCheckpoint(table, source.id, { source: bugzilla.url, last_change_time, findings: found });
    return summary;
  } catch (error) {
    const why = reasonToGoOn(error);
    if (why === undefined) throw error;
    findings.add({ kind: 'bugs not copied', where, why });
    return undefined;
  }
}

async function commentsOf(bugzilla: Bugzilla, id: number): Promise<SourceComment[]> {
  const { bugs } = await bugzilla.get(`bug/${id}/comment`, commentsAnswer);
  const comments = bugs[id]?.comments ?? [];
  if (comments.length === 0) throw new CatalogueError('none of its comments is for the API key');
  return comments;
}

/** Why just this bug cannot be copied; undefined: others could not be either. */
function reasonToGoOn(error: unknown): string | undefined {
  if (error instanceof ConditionFailed) return 'it was changed here at the same time; run the import again';
  if (error instanceof CatalogueError) return reasonOf(error);
  return error instanceof BugzillaError ? error.message : undefined;
}
