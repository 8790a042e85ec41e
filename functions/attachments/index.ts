import { lambdaHandler } from '../../lib/http/handler.ts';
import { createAttachment } from './create-attachment.ts';
import { downloadAttachment } from './download-attachment.ts';
import { getAttachments } from './get-attachments.ts';
import { routeGroup } from './group.ts';
import { attachmentServices } from './services.ts';
import { updateAttachments } from './update-attachments.ts';

export const handler = lambdaHandler(
  routeGroup.routes,
  { createAttachment, downloadAttachment, getAttachments, updateAttachments },
  attachmentServices(process.env),
);
