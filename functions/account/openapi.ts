import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import {
  createsOne,
  describe,
  type EndpointGroupDescription,
  inPath,
  responds,
} from '../../lib/http/openapi/documentation.ts';
import { MAIL_CHANGES, MAIL_ROLES } from '../../lib/people/mail-preferences.ts';
import { preferencesUpdate } from '../../lib/people/preference-requests.ts';
import { newSavedSearch, savedSearchUpdate } from '../../lib/people/saved-searches/requests.ts';
import type { endpointGroup } from './endpoints.ts';

const savedSearches = z.object({
  saved_searches: z.array(
    z.object({
      id: describe('Unique among the searches of the owner.', z.int()),
      name: z.string(),
      query: describe('The query of the address of a list.', z.string()),
      group: describe('The group that sees it; null: its owner alone.', z.nullable(z.string())),
      owner: describe('A login.', z.string()),
    }),
  ),
});
const example = {
  saved_searches: [
    {
      ...{ id: 1, name: 'My blockers', query: 'product=Telescope&bug_status=__open__' },
      ...{ group: null, owner: 'dev@bugless.example' },
    },
  ],
};
const preferences = z.object({
  real_name: z.string(),
  email_enabled: describe('Whether mails about bugs are sent to the user.', z.boolean()),
  mail_off: describe(
    'Of what the user wants no mails.',
    z.object({ roles: z.array(z.enum(MAIL_ROLES)), changes: z.array(z.enum(MAIL_CHANGES)) }),
  ),
  watched_users: describe('Logins of the users whom the user watches.', z.array(z.string())),
  watched_components: describe(
    'Products and components that the user watches, without those that the user may not access.',
    z.array(
      z.object({
        product: z.string(),
        component: describe('null: all of the product.', z.nullable(z.string())),
      }),
    ),
  ),
});
const preferencesResponse = responds('The preferences.', preferences, {
  real_name: 'Dev Developer',
  email_enabled: true,
  mail_off: { roles: ['cc'], changes: [] },
  watched_users: ['reporter@bugless.example'],
  watched_components: [{ product: 'Telescope', component: null }],
});
const ofSearch = { id: inPath('The id of a saved search of the caller.', 1) };
const searchErrors = [
  errors.parameterMissing('name'),
  errors.parameterInvalid('group', 'you are a member of no group of this name'),
  errors.savedSearchTaken('My blockers'),
  errors.requestTooLarge('at most 100 saved searches of a user'),
];
const unknown = [errors.savedSearchUnknown('9'), errors.parameterNotInteger('id', 'abc')];

/** The operations that are not for the pages alone; README.md describes all. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Account',
  text: 'What users save of their own. Sign-in by mail and API keys are for the pages alone.',
  operations: {
    'GET /rest/bugless/preferences': {
      summary: 'Get your preferences',
      text: 'The preferences of the caller.',
      response: preferencesResponse,
      errors: [],
    },
    'PUT /rest/bugless/preferences': {
      summary: 'Change your preferences',
      text: 'Changes the preferences of the caller. What is not given stays. Unknown parameters are an error.',
      parameters: preferencesUpdate,
      response: preferencesResponse,
      errors: [
        errors.parameterUnknown('nonsense'),
        errors.parameterInvalid('mail_off', "there is no 'watcher' in roles"),
        errors.userUnknown('nobody@example.org'),
        errors.productAccessDenied('Nonsense'),
        errors.valueUnknown('component', 'Nonsense'),
        errors.requestTooLarge('at most 100 watched users'),
      ],
    },
    'GET /rest/bugless/saved_searches': {
      summary: 'Get saved searches',
      text: 'Those of the caller, by name, then those that others share with a group of the caller.',
      response: responds('The searches.', savedSearches, example),
      errors: [],
    },
    'POST /rest/bugless/saved_searches': {
      summary: 'Save a search',
      text: 'Saves a search of the caller, who has at most 100.',
      parameters: newSavedSearch,
      response: createsOne('saved search', 1),
      errors: searchErrors,
    },
    'PUT /rest/bugless/saved_searches/{id}': {
      summary: 'Change a saved search',
      text: 'Changes a search of the caller. What is not given stays.',
      path: ofSearch,
      parameters: savedSearchUpdate,
      response: responds('The search.', savedSearches, example),
      errors: [...searchErrors, ...unknown],
    },
    'DELETE /rest/bugless/saved_searches/{id}': {
      summary: 'Remove a saved search',
      text: 'Removes a search of the caller, also for those with whom it was shared.',
      path: ofSearch,
      response: responds('An empty object.', z.object({}), {}),
      errors: unknown,
    },
  },
};
