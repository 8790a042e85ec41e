import { lambdaHandler } from '../../lib/http/handler.ts';
import { createAttachment } from './create-attachment.ts';
import { downloadAttachment } from './download-attachment.ts';
import { endpointGroup } from './endpoints.ts';
import { getAttachments } from './get-attachments.ts';
import { attachmentServices } from './services.ts';
import { updateAttachments } from './update-attachments.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { createAttachment, downloadAttachment, getAttachments, updateAttachments },
  attachmentServices(process.env),
);
