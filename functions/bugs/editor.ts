import type { Editor } from '../../lib/bugs/change/bug-update.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import type { BugServices } from './services.ts';

/** The caller of a request that changes bugs, with the rights that settings decide. */
export async function editorOf(
  request: BugzillaRequest,
  { settings }: Pick<BugServices, 'settings'>,
): Promise<Editor> {
  const caller = await request.caller;
  return {
    caller,
    isTimeTracker: isInGroup(caller, settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, settings.INSIDER_GROUP),
    isTagger: isInGroup(caller, settings.COMMENT_TAGGERS_GROUP),
    base: baseAddress(request),
  };
}

/** The address of this deployment, as the client knows it. */
function baseAddress({ headers }: BugzillaRequest): string {
  const protocol = headers['x-forwarded-proto'] ?? 'https';
  return `${protocol}://${headers['host'] ?? 'localhost'}/`;
}
