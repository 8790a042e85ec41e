import * as z from 'zod/mini';
import { ignoredWithin, optional, parseParameters, requireInteger, text } from '../../lib/base/parameters.ts';
import { attachmentUpdate } from '../../lib/bugs/attachments/requests.ts';
import { ignoredHeader, parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { editorOf } from '../editor.ts';
import type { AttachmentServices } from './services.ts';

/** Clients also send the id beside the path. */
const repeatedId = z.object({ attachment_id: optional(text) });

/**
 * Changes the attachment of the path and those of `ids`, all or none; returns what changed of each.
 * functions/attachments/README.md 4.
 */
export const updateAttachments: Endpoint<AttachmentServices> = async (request, services) => {
  const { attachment_id: repeated } = parseParameters(repeatedId, request.parameters);
  const isSame = repeated === undefined || repeated === request.pathParameter('attachment_id');
  const given = parseKnownParameters(attachmentUpdate, request.parameters, [
    'type',
    ...(isSame ? ['attachment_id'] : []),
  ]);
  const { ids, filename, file_name = filename, description, comment = '', ...fields } = given;
  const summary = fields.summary ?? description;
  const targets = request.named('attachment_id', ids).map((id) => requireInteger('ids', id));
  const editor = await editorOf(request, services);
  const updated = await services.changes.update(
    targets,
    { ...fields, file_name, summary, comment: comment.trimStart() },
    editor,
  );
  const body = {
    attachments: updated.map(({ attachment: { id, last_change_time }, changes }) => ({
      id,
      last_change_time,
      changes: Object.fromEntries(
        changes.map(({ field_name, removed, added }) => [field_name, { removed, added }]),
      ),
    })),
  };
  const ignored = [...request.parameters.ignored(), ...ignoredWithin(request.parameters, given)];
  return ok(body, ignoredHeader(ignored));
};
