import { errors } from '../../lib/errors.ts';
import { editorOf } from '../../lib/http/editor.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { attachmentUpdate, UPDATE_PARAMETERS } from './schemas.ts';
import type { AttachmentServices } from './services.ts';

/**
 * Changes the attachment of the path and those of `ids`, all or none; returns what changed of each.
 * functions/attachments/README.md 4.
 *
 * @throws errors.parameterUnknown (400, 53), errors.parameterNotInteger (400, 52), and as AttachmentChanges.update
 */
export const updateAttachments: Endpoint<AttachmentServices> = async (request, services) => {
  for (const name of request.parameters.keys()) {
    if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
  }
  const given = parseParameters(attachmentUpdate, request.parameters);
  const { ids, filename, file_name = filename, comment = '', ...fields } = given;
  const targets = [request.pathParameter('attachment_id'), ...ids].map((id) => {
    if (!isAllDigits(id)) throw errors.parameterNotInteger('ids', id);
    return Number(id);
  });
  const editor = await editorOf(request, services);
  const updated = await services.changes.update(targets, { ...fields, file_name, comment }, editor);
  return ok({
    attachments: updated.map(({ attachment: { id, last_change_time }, changes }) => ({
      id,
      last_change_time,
      changes: Object.fromEntries(
        changes.map(({ field_name, removed, added }) => [field_name, { removed, added }]),
      ),
    })),
  });
};
