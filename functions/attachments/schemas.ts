import * as z from 'zod/mini';
import { flag, nullAsBlank, optional, text, texts } from '../../lib/http/parameters.ts';
import { givenFlags } from '../flag-parameters.ts';

/** Attachments that are read by the ids of bugs, or by their own. */
export const attachmentQuery = z.object({ ids: texts, attachment_ids: texts });

const fields = {
  file_name: nullAsBlank(text),
  summary: nullAsBlank(text),
  content_type: nullAsBlank(text),
  is_patch: nullAsBlank(flag),
  is_private: nullAsBlank(flag),
  flags: givenFlags,
};

export const newAttachment = z.object({
  ids: texts,
  data: optional(text),
  ...fields,
  comment: optional(text),
});

/** Clients that follow the old documentation call file name and summary by their internal names. */
export const attachmentUpdate = z.object({
  ids: texts,
  filename: nullAsBlank(text),
  description: nullAsBlank(text),
  ...fields,
  is_obsolete: nullAsBlank(flag),
  comment: optional(text),
});
