import { errors } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import { type Caller, requireGroup } from '../../lib/users/caller.ts';

/**
 * Lets only comment taggers on.
 *
 * @throws errors.tagsDisabled (400, 125) where the deployment names no such group, errors.notAuthorized (401, 304); REFERENCE.md 3
 */
export function requireTagger(caller: Caller, settings: Settings): void {
  if (settings.COMMENT_TAGGERS_GROUP === '') throw errors.tagsDisabled();
  requireGroup(caller, settings.COMMENT_TAGGERS_GROUP, 'work with comment tags');
}
