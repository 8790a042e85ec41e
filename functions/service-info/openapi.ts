import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { credentialParameters } from '../../lib/http/credentials.ts';
import { answers, type GroupText, parametersOf } from '../../lib/openapi/documentation.ts';
import { describe, named } from '../../lib/openapi/metadata.ts';
import { time } from '../../lib/openapi/time.ts';
import type { group } from './group.ts';
import { userQuery, validLoginQuery } from './schemas.ts';

const user = named(
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
        'For oneself and for administrators of users; else empty.',
        z.array(z.object({ id: z.int(), name: z.string(), description: z.string() })),
      ),
      saved_searches: describe('Always empty; for oneself.', z.array(z.object({}))),
      saved_reports: describe('Always empty; for oneself.', z.array(z.object({}))),
      email_enabled: describe('For administrators of users.', z.boolean()),
      login_denied_text: describe('Why the account is disabled; for administrators of users.', z.string()),
    }),
  ),
);
const users = named('Users', 'Users.', z.object({ users: z.array(user) }));

const ann = {
  id: 2,
  name: 'dev@bugless.example',
  real_name: 'Dev Developer',
  email: 'dev@bugless.example',
  can_login: true,
  groups: [],
};

const usersByQuery = parametersOf(userQuery, {
  ids: { text: 'Ids of users.', wants: z.array(z.int()), example: [2] },
  names: { text: 'Logins.', example: ['dev@bugless.example'] },
  match: {
    text: 'Parts of logins or names, of at least 3 characters; a whole login; or a pattern with `*` for any characters.',
    example: ['dev'],
  },
  limit: { text: 'Of those that match, at most so many; 0 and absent: 100.', wants: z.int().check(z.gte(0)) },
  include_disabled: { text: 'Whether disabled users match, too.' },
  groups: { text: 'Only users in all of these groups match. For administrators of users.' },
});

const userErrors = [
  errors.parameterMissing('ids'),
  errors.userHidden(),
  errors.parameterNotInteger('ids', 'abc'),
  errors.groupHidden('timetrackers'),
  errors.userUnknown('nobody@bugless.example'),
];

const loginAndPassword = z.pick(credentialParameters, { login: true, password: true });

/** What the OpenAPI document says of the service itself. functions/README.md 3, 8. */
export const text: GroupText<typeof group.routes> = {
  title: 'Service',
  text: 'What clients ask before they start: who they are, what they talk to, tokens.',
  operations: {
    'GET /rest/version': {
      summary: 'Version',
      text: 'The version of Bugzilla whose interface this is, and the version of Bugless.',
      answer: answers('The versions.', z.object({ version: z.string(), bugless: z.string() }), {
        version: '5.2',
        bugless: '0.1.0',
      }),
      errors: [],
    },
    'GET /rest/extensions': {
      summary: 'Extensions',
      text: 'Bugless has none.',
      answer: answers('None.', z.object({ extensions: z.object({}) }), { extensions: {} }),
      errors: [],
    },
    'GET /rest/time': {
      summary: 'Time',
      text: 'The time of the service, which is UTC.',
      answer: answers(
        'The time, several times.',
        z.object({
          db_time: time('Now.'),
          web_time: time('Now.'),
          web_time_utc: time('Now.'),
          tz_name: z.literal('UTC'),
          tz_short_name: z.literal('UTC'),
          tz_offset: z.literal('+0000'),
        }),
        {
          db_time: '2026-03-02T08:30:00Z',
          web_time: '2026-03-02T08:30:00Z',
          web_time_utc: '2026-03-02T08:30:00Z',
          tz_name: 'UTC',
          tz_short_name: 'UTC',
          tz_offset: '+0000',
        },
      ),
      errors: [],
    },
    'GET /rest/timezone': {
      summary: 'Time zone',
      text: 'The time zone of the service, which is UTC.',
      answer: answers('The zone.', z.object({ timezone: z.literal('+0000') }), { timezone: '+0000' }),
      errors: [],
    },
    'GET /rest/parameters': {
      summary: 'Parameters',
      text: 'What clients may want to know of the settings, all of it text.',
      answer: answers(
        'The parameters.',
        z.object({
          parameters: z.object({
            maintainer: z.string(),
            requirelogin: describe('Whether everything takes a login.', z.enum(['0', '1'])),
          }),
        }),
        { parameters: { maintainer: '', requirelogin: '0' } },
      ),
      errors: [],
    },
    'GET /rest/login': {
      summary: 'Log in',
      text: 'Gives a token, for clients that only know how to log in. Login and password can also come as the headers `X-BUGZILLA-LOGIN` and `X-BUGZILLA-PASSWORD`, or as the parameters `Bugzilla_login` and `Bugzilla_password`.',
      parameters: parametersOf(loginAndPassword, {
        login: { text: 'A login.', wants: z.string(), example: 'dev@bugless.example' },
        password: { text: 'An API key of the user: there are no passwords.', wants: z.string() },
      }),
      answer: answers(
        'A token.',
        z.object({ id: describe('The id of the user.', z.int()), token: z.string() }),
        {
          id: 2,
          token: '2-Zk3vQm8sXw',
        },
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
      text: 'Ends the token that comes with the request, if any.',
      answer: answers('Nothing more to say.', z.object({}), {}),
      errors: [],
    },
    'GET /rest/valid_login': {
      summary: 'Check a login',
      text: 'Whether the credentials are those of a login.',
      parameters: parametersOf(validLoginQuery, {
        login: { text: 'A login.', required: true, example: 'dev@bugless.example' },
      }),
      answer: answers('Whether they are.', z.object({ result: z.boolean() }), { result: true }),
      errors: [errors.parameterMissing('login')],
    },
    'GET /rest/whoami': {
      summary: 'Who am I?',
      text: 'The user whose credentials come with the request.',
      answer: answers(
        'The user.',
        z.object({ id: z.int(), name: describe('The login.', z.string()), real_name: z.string() }),
        { id: 2, name: 'dev@bugless.example', real_name: 'Dev Developer' },
      ),
      errors: [],
    },
    'GET /rest/user': {
      summary: 'Get users',
      text: 'Users by ids or logins. Ids are for users only.',
      parameters: usersByQuery,
      selectsFields: true,
      answer: answers('The users.', users, { users: [ann] }),
      errors: userErrors,
    },
    'GET /rest/user/{id_or_name}': {
      summary: 'Get a user',
      text: 'The user of the path, and others that the query names.',
      path: {
        id_or_name: {
          text: 'The id or the login of a user.',
          wants: z.string(),
          example: 'dev@bugless.example',
        },
      },
      parameters: usersByQuery,
      selectsFields: true,
      answer: answers('The users.', users, { users: [ann] }),
      errors: userErrors,
    },
  },
};
