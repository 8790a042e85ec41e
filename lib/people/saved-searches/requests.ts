import type * as z from 'zod/mini';
import { nullAsBlank, param, parameters, text, withDefault } from '../../base/parameters.ts';

const fields = {
  name: param(
    nullAsBlank(text),
    'Unique among the searches of the user, ignoring case; at most 64 characters.',
    {
      example: 'My blockers',
    },
  ),
  query: param(
    nullAsBlank(text),
    'The query of the address of a list, or the whole address. It is stored without credentials; at most 4,000 characters.',
    { example: 'product=Telescope&bug_status=__open__' },
  ),
};
const group = 'The name of a group of which the user is a member, whose members see the search; empty: none.';

/** functions/account/README.md 3. */
export const newSavedSearch = parameters({
  name: { ...fields.name, required: true },
  query: { ...fields.query, required: true },
  group: param(withDefault(text, ''), group, { example: 'translators' }),
});

/** functions/account/README.md 3. */
export const savedSearchUpdate = parameters({
  ...fields,
  group: param(nullAsBlank(text), group, { example: 'translators' }),
});

/** What a request says of a search; an absent field stays. `group`: a name; '': none */
export type GivenSearch = z.infer<typeof savedSearchUpdate>;
