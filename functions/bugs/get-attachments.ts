import { requireBugs } from '../../lib/bugs/find-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { historyQuery } from './schemas.ts';
import type { BugServices } from './services.ts';

/**
 * Returns that the bugs of the path and of `ids` have no attachments: Bugless keeps none.
 *
 * @throws errors of 100 to 102 for a bug that does not exist or that the caller may not see
 */
export const getAttachments: Endpoint<BugServices> = async (request, services) => {
  const { ids } = parseParameters(historyQuery, request.parameters);
  const { bugs } = await requireBugs(
    [request.pathParameter('id_or_alias'), ...ids],
    request.caller,
    services.bugs,
  );
  return ok({ bugs: Object.fromEntries(bugs.map(({ id }) => [id, []])), attachments: {} });
};

/**
 * Refuses to look up an attachment by its id: there are none.
 *
 * @throws errors.parameterNotInteger (400, 52), errors.attachmentUnknown (404, 100)
 */
export const getAttachment: Endpoint<BugServices> = async (request) => {
  const id = request.pathParameter('attachment_id');
  if (!isAllDigits(id)) throw errors.parameterNotInteger('attachment_ids', id);
  throw errors.attachmentUnknown(id);
};

/**
 * Refuses attachments.
 *
 * @throws errors.attachmentsUnsupported (400, 32000)
 */
export const createAttachment: Endpoint<BugServices> = async () => {
  throw errors.attachmentsUnsupported();
};
