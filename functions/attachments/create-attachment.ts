import { ignoredWithin, parseParameters } from '../../lib/base/parameters.ts';
import { decodeBase64, isBase64 } from '../../lib/bugs/attachments/data.ts';
import { newAttachment } from '../../lib/bugs/attachments/requests.ts';
import { errors } from '../../lib/errors.ts';
import { ignoredHeader } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { JsonResponse } from '../../lib/http/response/json.ts';
import { requireUser } from '../../lib/people/caller.ts';
import { editorOf } from '../editor.ts';
import type { AttachmentServices } from './services.ts';

/**
 * Attaches a file to the bug of the path and those of `ids`; returns the ids of the attachments.
 * functions/attachments/README.md 3.
 */
export const createAttachment: Endpoint<AttachmentServices> = async (request, services) => {
  const given = parseParameters(newAttachment, request.parameters);
  const { ids, data, comment = '', ...fields } = given;
  if (data === undefined) throw errors.parameterMissing('data');
  if (!isBase64(data)) throw errors.parameterInvalid('data', 'it must be base64');
  const editor = editorOf(request, services);
  const response = await services.idempotent(
    request,
    async () => requireUser((await editor).caller),
    (recordFor) =>
      services.changes.create(
        [request.pathParameter('id_or_alias'), ...ids],
        decodeBase64(data),
        { ...fields, comment },
        editor,
        recordFor,
      ),
    (created) => new JsonResponse(201, { ids: created }),
  );
  const ignored = [...request.parameters.ignored(), ...ignoredWithin(request.parameters, given)];
  return new JsonResponse(response.status, response.body, ignoredHeader(ignored));
};
