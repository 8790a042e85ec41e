import { editorOf } from '../../lib/http/editor.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { requireInteger } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { attachmentUpdate } from './schemas.ts';
import type { AttachmentServices } from './services.ts';

/**
 * Changes the attachment of the path and those of `ids`, all or none; returns what changed of each.
 * functions/attachments/README.md 4.
 *
 * @throws errors.parameterUnknown (400, 53), errors.parameterNotInteger (400, 52), and as AttachmentChanges.update
 */
export const updateAttachments: Endpoint<AttachmentServices> = async (request, services) => {
  const given = parseKnownParameters(attachmentUpdate, request.parameters);
  const { ids, filename, file_name = filename, comment = '', ...fields } = given;
  const targets = request.named('attachment_id', ids).map((id) => requireInteger('ids', id));
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
