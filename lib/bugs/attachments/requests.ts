import { boolean, nullAsBlank, optional, param, parameters, text, texts } from '../../base/parameters.ts';
import { givenFlags } from '../flags/requests.ts';
import { MAX_ATTACHMENT_SUMMARY_LENGTH } from './validation.ts';

/** Attachments that are read by the ids of bugs, or by their own. functions/attachments/README.md 2. */
export const attachmentQuery = parameters({
  ids: param(texts, 'Ids or aliases of further bugs.'),
  attachment_ids: param(texts, 'Ids of further attachments. Unknown ones are left out.'),
});

const fields = {
  file_name: param(nullAsBlank(text), 'The name of the file, without its path.', { example: 'moon.txt' }),
  summary: param(
    nullAsBlank(text),
    `What it is; its first ${MAX_ATTACHMENT_SUMMARY_LENGTH} characters are kept.`,
    {
      example: 'What I saw',
    },
  ),
  content_type: param(
    nullAsBlank(text),
    'Such as `image/png` or `text/plain; charset=utf-8`, without other parameters; of patches always `text/plain`.',
    { example: 'text/plain' },
  ),
  is_patch: param(nullAsBlank(boolean), 'Whether it is a patch.'),
  is_private: param(nullAsBlank(boolean), 'Whether only insiders see it; takes being one.'),
  flags: givenFlags,
};

/** functions/attachments/README.md 3. */
export const newAttachment = parameters({
  ids: param(texts, 'Ids or aliases of further bugs, which each get the file.'),
  data: param(optional(text), 'The bytes in base64.', { required: true, example: 'aGVsbG8K' }),
  ...fields,
  comment: param(optional(text), 'A comment that goes with it.'),
});

/** functions/attachments/README.md 4. Clients of old documentation use the internal names of file name and summary. */
export const attachmentUpdate = parameters({
  ids: param(texts, 'Ids of further attachments.'),
  filename: param(nullAsBlank(text), 'The same as `file_name`.'),
  description: param(nullAsBlank(text), 'The same as `summary`.'),
  ...fields,
  is_obsolete: param(nullAsBlank(boolean), 'Whether it is obsolete: then requested flags go.'),
  comment: param(optional(text), 'A comment to add to the bug.'),
});
