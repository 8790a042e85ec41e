import * as z from 'zod/mini';
import { param, parameters, parseParameters, texts } from '../../lib/base/parameters.ts';
import { isAllDigits } from '../../lib/base/text.ts';
import { timestamp } from '../../lib/base/time.ts';
import { requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { requireInvolved } from '../../lib/bugs/store/last-visits.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { namedBy } from '../named.ts';
import type { BugServices } from './services.ts';

/** The bugs of a visit, beside that of the path. functions/administration/README.md 6. */
export const visitQuery = parameters({
  ids: param(texts, 'Ids of further bugs.', { type: () => z.array(z.int()) }),
});

type VisitServices = Pick<BugServices, 'bugs' | 'lastVisits' | 'now'>;

/** Stores that the caller visits the bugs of the path and of `ids`. functions/administration/README.md 6. */
export const visitBugs: Endpoint<VisitServices> = async (request, services) => {
  const bugs = await requestedBugs(request, services);
  const caller = await request.caller;
  const { id: user_id } = requireInvolved(bugs, caller);
  const last_visit_ts = timestamp(services.now());
  await services.lastVisits.put(bugs.map(({ id }) => ({ user_id, bug_id: id, last_visit_ts })));
  return ok(bugs.map(({ id }) => ({ id, last_visit_ts })));
};

/** Responds with the caller's last visits to the bugs of the path and of `ids`, as far as there are any. */
export const getVisits: Endpoint<VisitServices> = async (request, services) => {
  const { id: user } = await request.user;
  const bugs = await requestedBugs(request, services);
  const visits = await services.lastVisits.read(
    user,
    bugs.map(({ id }) => id),
  );
  const byBug = new Map(visits.map(({ bug_id, last_visit_ts }) => [bug_id, last_visit_ts]));
  return ok(
    bugs.flatMap(({ id }) => {
      const last_visit_ts = byBug.get(id);
      return last_visit_ts === undefined ? [] : [{ id, last_visit_ts }];
    }),
  );
};

async function requestedBugs(
  request: BugzillaRequest,
  { bugs }: Pick<VisitServices, 'bugs'>,
): Promise<BugItem[]> {
  const inPath = request.pathParameter('id');
  if (!isAllDigits(inPath)) throw errors.routeUnknown(request.method, request.path);
  const { ids } = parseParameters(visitQuery, request.parameters);
  const named = [...new Set(namedBy(request, [inPath, ...ids], []).map(({ given }) => Number(given)))];
  const found = await bugs.byIds(named);
  const caller = await request.caller;
  return named.map((id) => {
    const bug = found.get(id);
    return requireVisible(String(id), bug?.id, bug, caller);
  });
}
