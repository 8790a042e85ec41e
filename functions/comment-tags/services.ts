import { bugRepository } from '../../lib/bugs/repository.ts';
import { tagRepository } from '../../lib/comment-tags/repository.ts';
import { openServices } from '../../lib/http/services.ts';

/** The services of the comment-tag endpoints. */
export function tagServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  return { ...services, bugs: bugRepository(table, services.now), tags: tagRepository(table) };
}
export type TagServices = ReturnType<typeof tagServices>;
