import { tagRepository } from '../../lib/bugs/comment-tags/repository.ts';
import { commentsWithBugs } from '../../lib/bugs/store/comments-with-bugs.ts';
import { openServices } from '../../lib/http/services.ts';

/** The services of the comment-tag endpoints. */
export function tagServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  return { ...services, commentsWithBugs: commentsWithBugs(table), tags: tagRepository(table) };
}
export type TagServices = ReturnType<typeof tagServices>;
