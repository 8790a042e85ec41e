import { ignoredWithin, type NamedValues, parseParameters } from '../../lib/base/parameters.ts';
import { compareNames } from '../../lib/base/text.ts';
import { responseChanges } from '../../lib/bugs/changes.ts';
import { readCommentWithin } from '../../lib/bugs/comments/requests.ts';
import { bugUpdate, customParameters } from '../../lib/bugs/requests.ts';
import { readIfMatch } from '../../lib/bugs/store/find-bugs.ts';
import { ignoredHeader } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { editorOf } from '../editor.ts';
import type { BugServices } from './services.ts';

/**
 * Changes all bugs of the path and of `ids`, or none; returns what changed of each, in the order of the request.
 * functions/bugs/README.md 4.2.
 */
export const updateBugs: Endpoint<BugServices> = async (request, services) => {
  const named = withStatus(request.parameters);
  const given = parseParameters(bugUpdate, named);
  const { ids, comment, comment_is_private = {}, comment_tags, work_time, flags, ...update } = given;
  const custom = customParameters(named);
  const editor = editorOf(request, services);
  const updated = await services.changes.update(
    [request.pathParameter('id_or_alias'), ...ids],
    {
      update,
      custom,
      flags,
      comment: readCommentWithin(comment),
      workTime: work_time,
      privacy: comment_is_private,
      tags: comment_tags,
      versions: readIfMatch(request.headers['if-match']),
    },
    editor,
  );
  const { isTimeTracker } = await editor;
  const ignored = [
    ...request.parameters.ignored(),
    ...(await ignoredCustom(custom, services.bugSettings)),
    ...ignoredWithin(named, { ...given, ...Object.fromEntries(custom) }),
  ];
  const body = {
    bugs: updated.map(({ bug: { id, aliases, last_change_time }, change }) => ({
      id,
      alias: aliases.toSorted(compareNames),
      last_change_time,
      changes: responseChanges(change?.changes ?? [], isTimeTracker),
    })),
  };
  return ok(body, ignoredHeader(ignored));
};

/** The names of custom fields that there are not, or not any more; settings are read where a request gives some. */
export async function ignoredCustom(
  custom: ReadonlyMap<string, unknown>,
  settings: Pick<BugServices['bugSettings'], 'read'>,
): Promise<string[]> {
  if (custom.size === 0) return [];
  const { fields } = await settings.read();
  return [...custom.keys()].filter((name) => fields.named(name)?.custom?.is_obsolete !== false);
}

/**
 * Parameters of an update, with the status under the name of the interface: of the internal names Bugzilla takes this one
 * there, and ignores others. functions/bugs/README.md 4.2
 */
function withStatus(parameters: NamedValues<unknown>): NamedValues<unknown> {
  if (!parameters.has('bug_status') || parameters.has('status')) return parameters;
  const renamed = parameters.copy();
  renamed.set('status', parameters.get('bug_status'));
  return renamed;
}
