import * as z from 'zod/mini';
import { boolean, nullAsBlank, param, parameters, text, texts } from '../parameters.ts';

/** functions/account/README.md 4. */
export const preferencesUpdate = parameters({
  real_name: param(nullAsBlank(text), 'At most 255 characters.', { example: 'Dev Developer' }),
  email_enabled: param(nullAsBlank(boolean), 'Whether mails about bugs are sent to the user.'),
  mail_off: param(
    z.optional(
      z.object(
        { roles: z.optional(texts), changes: z.optional(texts) },
        'it must be an object with roles or changes',
      ),
    ),
    'Of what the user wants no mails: `roles` (`reporter`, `assigned_to`, `qa_contact`, `cc`) and `changes` (`new`, `comments`, `status`, `cc`, `other`). A list that is not given stays.',
    { example: { roles: ['cc'], changes: [] } },
  ),
});
export type PreferencesUpdate = z.infer<typeof preferencesUpdate>;
