import { mapConcurrent } from '../../lib/base/collections.ts';
import { readListPart } from '../../lib/base/list-part.ts';
import { parseLooseTime } from '../../lib/base/loose-time.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import { compareNames } from '../../lib/base/text.ts';
import type { AttachmentItem } from '../../lib/bugs/attachments/schema.ts';
import { builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import { historyQuery } from '../../lib/bugs/requests.ts';
import { historyPart, visibleHistory } from '../../lib/bugs/show/visible-history.ts';
import { requireBugs } from '../../lib/bugs/store/find-bugs.ts';
import type { HistoryPart } from '../../lib/bugs/store/write-bug.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { BOUNDED_CONCURRENCY } from '../../lib/table/consumption.ts';
import type { BugServices } from './services.ts';

/** So that a response has a bounded size. */
const MAX_BUGS_OF_HISTORIES = 100;

/** Returns what changed of the bugs of the path and of `ids`, oldest first, or a part of it. functions/bugs/README.md 2.2 */
export const getHistory: Endpoint<BugServices> = async (request, services) => {
  const { ids, new_since, before: until, ...given } = parseParameters(historyQuery, request.parameters);
  const part = readListPart(given);
  const since = readTime('new_since', new_since);
  const before = readTime('before', until);
  const names = [...new Set(request.named('id_or_alias', ids))];
  if (names.length > MAX_BUGS_OF_HISTORIES)
    throw errors.requestTooLarge(`at most ${MAX_BUGS_OF_HISTORIES} bugs`);
  const { bugs, histories } = await readHistories(names, request, services, { ...part, since, before });
  return ok({
    bugs: bugs.map(({ id, aliases }, index) => ({
      id,
      alias: aliases.toSorted(compareNames),
      history: histories[index]?.map(({ when, who, changes }) => ({ when, who, changes })),
    })),
  });
};

/** What changed of bugs, as far as the caller sees it, or a part of it. */
export async function readHistories(
  names: readonly string[],
  request: BugzillaRequest,
  services: BugServices,
  part: HistoryPart,
) {
  const { caller, bugs } = await requireBugs(names, request.caller, services.bugs);
  const viewer = {
    isTimeTracker: isInGroup(caller, services.settings.TIMETRACKING_GROUP),
    isInsider: isInGroup(caller, services.settings.INSIDER_GROUP),
  };
  const histories = await mapConcurrent(
    bugs,
    ({ id }) => {
      let attachments: Promise<AttachmentItem[]> | undefined;
      const readAttachments = () => {
        attachments ??= services.attachments.ofBug(id);
        return attachments;
      };
      return historyPart(services.bugs.historyPages(id, part), part.limit, (page) =>
        visibleHistory(page, viewer, builtInRegistry, readAttachments),
      );
    },
    BOUNDED_CONCURRENCY,
  );
  return { caller, bugs, histories };
}

/** A time as keys have it. @throws BugzillaError when it is none */
function readTime(name: string, given: string | null | undefined): string | undefined {
  if (given === undefined || given === null) return undefined;
  const time = parseLooseTime(given);
  if (time === undefined) throw errors.timeNotRecognized(name, given);
  return time;
}
