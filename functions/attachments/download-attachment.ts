import * as z from 'zod/mini';
import { optional, parseParameters, requireInteger, text } from '../../lib/base/parameters.ts';
import { MAX_DATA_BYTES, parseContentType } from '../../lib/bugs/attachments/validation.ts';
import {
  attachmentsWithBugs,
  requireReadableAttachments,
} from '../../lib/bugs/store/attachments-with-bugs.ts';
import { errors } from '../../lib/errors.ts';
import { COMMON_HEADERS, type Endpoint, redirect } from '../../lib/http/response/gateway-response.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import type { AttachmentServices } from './services.ts';

const query = z.object({ id: optional(text), action: optional(text), bugid: optional(text) });

/** Bugzilla's pages of the attachments of a bug, which its page here has. */
const OF_BUG: ReadonlySet<string> = new Set(['enter', 'viewall']);

/** What a browser may show: neither of these can hold a script. Anything else is saved as a file. */
const SHOWN = /^(text\/plain|image\/(png|jpeg|gif|webp|bmp|avif))$/i;

/**
 * Returns the bytes of an attachment: for browsers, and clients that link to them. The response can run no script: a
 * sandbox without permissions, no sniffing of the content type, and a download unless it is plain text or a raster image.
 * `action=edit`, Bugzilla's page of an attachment, and those of a bug's attachments lead to the bug's page.
 */
export const downloadAttachment: Endpoint<AttachmentServices> = async (request, services) => {
  const { id = '', action, bugid } = parseParameters(query, request.parameters);
  if (bugid && OF_BUG.has(action ?? ''))
    return redirect(`show_bug.cgi?${new URLSearchParams({ id: bugid })}`);
  if (id === '') throw errors.parameterMissing('id');
  const [caller, named] = await Promise.all([
    request.caller,
    attachmentsWithBugs([requireInteger('id', id)], services),
  ]);
  const isInsider = isInGroup(caller, services.settings.INSIDER_GROUP);
  const [attachment] = requireReadableAttachments(named, caller, isInsider);
  if (attachment === undefined) throw errors.attachmentNotFound(id);
  if (action === 'edit') return redirect(`show_bug.cgi?id=${attachment.bug_id}#a${attachment.id}`);
  const { type = '', charset } = parseContentType(attachment.content_type) ?? {};
  const isInline = SHOWN.test(type);
  const shownType = charset === undefined ? type : `${type}; charset=${charset}`;
  if (attachment.size > MAX_DATA_BYTES) throw errors.responseTooLarge();
  const data = await services.attachments.data(attachment);
  return {
    statusCode: 200,
    headers: {
      ...COMMON_HEADERS,
      'content-type': isInline ? shownType : 'application/octet-stream',
      'content-disposition': `${isInline ? 'inline' : 'attachment'}; ${fileName(attachment.file_name)}`,
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    },
    body: data.toString('base64'),
    isBase64Encoded: true,
  };
};

/** A file name for `Content-Disposition`: in ASCII as 5.2 has it; for others also as RFC 8187 has it, which some clients do not read. */
function fileName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `filename="${name.replace(/["\\]/g, '\\$&')}"`;
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
