import * as z from 'zod/mini';
import { boolean, nullAsBlank, param, parameters, text, texts } from '../base/parameters.ts';
import { MAX_REAL_NAME_LENGTH } from './validation.ts';

/** functions/account/README.md 4. */
export const preferencesUpdate = parameters({
  real_name: param(nullAsBlank(text), `At most ${MAX_REAL_NAME_LENGTH} characters.`, {
    example: 'Dev Developer',
  }),
  email_enabled: param(nullAsBlank(boolean), 'Whether mails about bugs are sent to the user.'),
  mail_off: param(
    z.optional(
      z.object(
        { roles: z.optional(texts), changes: z.optional(texts) },
        'it must be an object with roles or changes',
      ),
    ),
    'Of what the user wants no mails: `roles` (`reporter`, `assigned_to`, `qa_contact`, `cc`, `watched`) and `changes` (`new`, `comments`, `status`, `cc`, `other`). A list that is not given stays.',
    { example: { roles: ['cc'], changes: [] } },
  ),
  watched_users: param(
    z.optional(texts),
    'Logins of all users whom the user watches, at most 100: mails that these get for their roles in bugs go to the user, too.',
    { example: ['reporter@bugless.example'] },
  ),
  watched_components: param(
    z.optional(
      z.array(
        z.object(
          { product: text, component: nullAsBlank(text) },
          'it must have objects with product and component',
        ),
        'it must be a list of objects with product and component',
      ),
    ),
    'All components whose bugs the user hears of, at most 100; without `component`, or with null: all of the product.',
    { example: [{ product: 'Telescope', component: 'Lens' }] },
  ),
});
export type PreferencesUpdate = z.infer<typeof preferencesUpdate>;
