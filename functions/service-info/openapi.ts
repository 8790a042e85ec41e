import * as z from 'zod/mini';
import { param, parameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import {
  describe,
  type EndpointGroupDescription,
  inPath,
  NAMED,
  responds,
  schemaRef,
  time,
} from '../../lib/http/openapi/documentation.ts';
import { anonymous } from '../../lib/people/caller.ts';
import { userQuery, validLoginQuery, whoamiQuery } from '../../lib/people/requests.ts';
import { rightsOf } from '../../lib/people/rights-of.ts';
import { VERSION } from '../../lib/version.ts';
import type { endpointGroup } from './endpoints.ts';

const bit = z.enum(['0', '1']);

const user = schemaRef(
  'User',
  'A user. Anonymous callers see the id and the names only.',
  z.partial(
    z.object({
      id: z.int(),
      name: describe('The login.', z.string()),
      real_name: z.string(),
      email: z.string(),
      can_login: z.boolean(),
      groups: describe(
        'Visible to the user and to administrators of users; empty for others.',
        z.array(z.object(NAMED)),
      ),
      saved_searches: describe(
        'Visible to the user only.',
        z.array(z.object({ id: z.int(), name: z.string(), query: z.string() })),
      ),
      saved_reports: describe('Always empty; visible to the user only.', z.array(z.object({}))),
      email_enabled: describe('Visible to administrators of users.', z.boolean()),
      login_denied_text: describe(
        'Why the account is disabled; visible to administrators of users.',
        z.string(),
      ),
      duties: describe(
        'What the user does in components and for flag types, for administrators of users who ask for it by `include_fields`.',
        z.array(
          z.object({
            product: z.string(),
            component: z.optional(z.string()),
            flag_type: z.optional(z.string()),
            as: z.enum(['default assignee', 'default QA contact', 'default CC', 'CC of a flag type']),
          }),
        ),
      ),
    }),
  ),
);
const users = schemaRef('Users', 'Users.', z.object({ users: z.array(user) }));

const webhook = z.object({
  id: describe('Its number in the stage’s file, which it sends as `webhook_id`.', z.int()),
  creator: describe('Always empty.', z.string()),
  name: z.string(),
  url: z.string(),
  event: describe('Some of `create`, `change`, `attachment`, `comment`, separated by commas.', z.string()),
  product: describe('`Any`: all products.', z.string()),
  component: describe('`Any`: all components.', z.string()),
  enabled: z.boolean(),
  errors: describe('Always 0: EventBridge does not tell.', z.int()),
});

const NO_RIGHTS = rightsOf(anonymous, {
  ...{ INSIDER_GROUP: '', TIMETRACKING_GROUP: '', COMMENT_TAGGERS_GROUP: '', WEBHOOKS_GROUP: '' },
});
const me = z.object({
  id: z.int(),
  name: describe('The login.', z.string()),
  real_name: z.string(),
  email_enabled: describe('Whether mails are sent to the user.', z.boolean()),
  rights: describe('What the user may do, by groups.', z.record(z.string(), z.boolean())),
});

const ann = {
  id: 2,
  name: 'dev@bugless.example',
  real_name: 'Dev Developer',
  email: 'dev@bugless.example',
  can_login: true,
  groups: [],
};

const readsUsers = {
  parameters: userQuery,
  selectsFields: true as const,
  response: responds('The users.', users, { users: [ann] }),
  errors: [
    errors.parameterMissing('ids'),
    errors.userHidden(),
    errors.parameterNotInteger('ids', 'abc'),
    errors.groupHidden('timetrackers'),
    errors.userUnknown('unknown@bugless.example'),
    errors.requestTooLarge('at most 1000 products; use the catalogue'),
  ],
};

const currentTime = time('The current time.');
const NOW = '2026-03-02T08:30:00Z';

const loginAndPassword = parameters({
  login: param(z.optional(z.string()), 'A login.', { example: 'dev@bugless.example' }),
  password: param(z.optional(z.string()), 'An API key of the user; there are no passwords.'),
});

/** The OpenAPI documentation of the service operations. functions/README.md 3, 8. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Service',
  text: 'Version, settings, time, users, and login tokens.',
  operations: {
    'GET /rest/version': {
      summary: 'Version',
      text: 'The version of Bugzilla that the interface is compatible with, and the version of Bugless.',
      response: responds('The versions.', z.object({ version: z.string(), bugless: z.string() }), {
        version: '5.2',
        bugless: '0.1.0',
      }),
      errors: [],
    },
    'GET /rest/extensions': {
      summary: 'Extensions',
      text: 'Clients may tell Bugless from Bugzilla by it.',
      response: responds(
        'Bugless with its version.',
        z.object({ extensions: z.object({ Bugless: z.object({ version: z.string() }) }) }),
        { extensions: { Bugless: { version: VERSION } } },
      ),
      errors: [],
    },
    'GET /rest/time': {
      summary: 'Time',
      text: 'The current time, in UTC.',
      response: responds(
        'The current time in several fields.',
        z.object({
          ...{ db_time: currentTime, web_time: currentTime, web_time_utc: currentTime },
          tz_name: z.literal('UTC'),
          tz_short_name: z.literal('UTC'),
          tz_offset: z.literal('+0000'),
        }),
        {
          ...{ db_time: NOW, web_time: NOW, web_time_utc: NOW },
          ...{ tz_name: 'UTC', tz_short_name: 'UTC', tz_offset: '+0000' },
        },
      ),
      errors: [],
    },
    'GET /rest/timezone': {
      summary: 'Time zone',
      text: 'The time zone of all times, which is UTC.',
      response: responds('The time zone.', z.object({ timezone: z.literal('+0000') }), { timezone: '+0000' }),
      errors: [],
    },
    'GET /rest/parameters': {
      summary: 'Parameters',
      text: 'Settings that are relevant to clients, as strings. Anonymous callers see `maintainer` and `requirelogin`.',
      selectsFields: true,
      response: responds(
        'The parameters.',
        z.object({
          parameters: z.partial(
            z.object({
              maintainer: z.string(),
              requirelogin: describe('Whether all requests must be authenticated.', bit),
              allowemailchange: describe('Always 0: logins cannot be changed.', bit),
              defaultpriority: z.string(),
              defaultseverity: z.string(),
              maxattachmentsize: describe('In units of 1,000 bytes.', z.string()),
              duplicate_or_move_bug_status: z.string(),
              useclassification: bit,
              useqacontact: bit,
              usestatuswhiteboard: bit,
              usetargetmilestone: bit,
            }),
          ),
        }),
        { parameters: { maintainer: '', requirelogin: '0' } },
      ),
      errors: [],
    },
    'GET /rest/login': {
      summary: 'Log in',
      text: 'Issues a token, for clients that do not support API keys. Login and password can also be sent as the headers `X-BUGZILLA-LOGIN` and `X-BUGZILLA-PASSWORD`, or as the parameters `Bugzilla_login` and `Bugzilla_password`.',
      parameters: loginAndPassword,
      response: responds(
        'A token.',
        z.object({ id: describe('The id of the user.', z.int()), token: z.string() }),
        { id: 2, token: '2-Zk3vQm8sXw' },
      ),
      errors: [
        errors.parameterMissing('login'),
        errors.loginWrong(),
        errors.accountDisabled('Ann works elsewhere now'),
        errors.apiKeyInvalid(),
      ],
    },
    'GET /rest/logout': {
      summary: 'Log out',
      text: 'Revokes the token of the request, if any.',
      response: responds('An empty object.', z.object({}), {}),
      errors: [],
    },
    'GET /rest/valid_login': {
      summary: 'Check a login',
      text: 'Whether the credentials of the request belong to the login.',
      parameters: validLoginQuery,
      response: responds('Whether they belong to it.', z.object({ result: z.boolean() }), { result: true }),
      errors: [errors.parameterMissing('login')],
    },
    'GET /rest/whoami': {
      summary: 'Who am I?',
      text: 'The authenticated user, and what he may do.',
      parameters: whoamiQuery,
      response: responds('The user.', me, {
        ...{ id: 2, name: 'dev@bugless.example', real_name: 'Dev Developer', email_enabled: true },
        rights: { ...NO_RIGHTS, edit_bugs: true, can_confirm: true },
      }),
      errors: [],
    },
    'GET /rest/webhooks/list': {
      summary: 'List webhooks',
      text: 'The webhooks of the deployment, as BMO lists them. Members of `editusers` and of the group of the setting `WEBHOOKS_GROUP` see whole URLs, products and components; others the host only, because URLs may have secrets.',
      response: responds('The webhooks.', z.object({ webhooks: z.array(webhook) }), {
        webhooks: [
          {
            ...{ id: 1, creator: '', name: 'jira', url: 'https://jira.example.org/hook' },
            ...{ event: 'create,change', product: 'Telescope', component: 'Any', enabled: true, errors: 0 },
          },
        ],
      }),
      errors: [],
    },
    'GET /rest/user': {
      summary: 'Get users',
      text: 'Users by ids, logins, or parts of them. Ids require authentication.',
      ...readsUsers,
    },
    'GET /rest/user/{id_or_name}': {
      summary: 'Get a user',
      text: 'The user of the path, and others that the query selects.',
      path: { id_or_name: inPath('The id or the login of a user.', 'dev@bugless.example') },
      ...readsUsers,
    },
  },
};
