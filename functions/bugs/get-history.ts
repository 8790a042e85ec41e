import { builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import { historyQuery } from '../../lib/bugs/requests.ts';
import { visibleHistory } from '../../lib/bugs/show/visible-history.ts';
import { requireBugs } from '../../lib/bugs/store/find-bugs.ts';
import { BOUNDED_CONCURRENCY } from '../../lib/dynamodb/consumption.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { parseParameters } from '../../lib/parameters.ts';
import { compareNames } from '../../lib/text.ts';
import { parseTime } from '../../lib/time.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import type { BugServices } from './services.ts';

/** So that a response has a bounded size. */
const MAX_BUGS = 100;

/** Returns what changed of the bugs of the path and of `ids`, oldest first. */
export const getHistory: Endpoint<BugServices> = async (request, services) => {
  const { ids, new_since } = parseParameters(historyQuery, request.parameters);
  const since = new_since === undefined ? undefined : parseTime(new_since);
  if (new_since !== undefined && since === undefined) throw errors.timeNotRecognized('new_since', new_since);
  const names = [...new Set(request.named('id_or_alias', ids))];
  if (names.length > MAX_BUGS) throw errors.requestTooLarge(`at most ${MAX_BUGS} bugs`);
  const { caller, bugs } = await requireBugs(names, request.caller, services.bugs);
  const viewer = {
    isTimeTracker: isInGroup(caller, services.settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, services.settings.INSIDER_GROUP),
  };
  const histories = await mapConcurrent(
    bugs,
    async ({ id }) =>
      visibleHistory(await services.bugs.history(id, since), viewer, builtInRegistry, () =>
        services.attachments.ofBug(id),
      ),
    BOUNDED_CONCURRENCY,
  );
  return ok({
    bugs: bugs.map(({ id, aliases }, index) => ({
      id,
      alias: aliases.toSorted(compareNames),
      history: histories[index]?.map(({ when, who, changes }) => ({ when, who, changes })),
    })),
  });
};
