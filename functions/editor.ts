import type { Editor } from '../lib/bugs/permissions.ts';
import { type BugzillaRequest, baseAddress } from '../lib/http/request.ts';
import { isInGroup } from '../lib/people/caller.ts';
import type { Settings } from '../lib/settings.ts';

/** The caller of a request that changes bugs, with the rights that settings decide. */
export function editorOf(request: BugzillaRequest, { settings }: { settings: Settings }): Promise<Editor> {
  const editor = readEditor(request, settings);
  // The endpoint may fail before anything awaits it: that is not an unhandled rejection.
  editor.catch(() => undefined);
  return editor;
}

async function readEditor(request: BugzillaRequest, settings: Settings): Promise<Editor> {
  const caller = await request.caller;
  return {
    caller,
    isTimeTracker: isInGroup(caller, settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, settings.INSIDER_GROUP),
    duplicateStatus: settings.DUPLICATE_OR_MOVE_BUG_STATUS,
    isTagger: isInGroup(caller, settings.COMMENT_TAGGERS_GROUP),
    insiderGroup: settings.INSIDER_GROUP,
    base: baseAddress(request),
  };
}
