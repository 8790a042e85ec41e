import { credentialParameters } from '../credentials.ts';
import type { AuthPolicy } from '../routes.ts';
import type { JsonObject } from './json-schema.ts';

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

const IN_HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-BUGZILLA-API-KEY': header('X-BUGZILLA-API-KEY', 'An API key.'),
  Bearer: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' },
  'X-BUGZILLA-TOKEN': header('X-BUGZILLA-TOKEN', 'A token of `GET /rest/login`.'),
  'X-BUGZILLA-LOGIN': header('X-BUGZILLA-LOGIN', 'A login name, together with `X-BUGZILLA-PASSWORD`.'),
  'X-BUGZILLA-PASSWORD': header('X-BUGZILLA-PASSWORD', 'An API key of the user, as the password.'),
};

const KINDS: readonly [RegExp, string][] = [
  [/api_key$/, 'An API key, in the query; of POST and PUT in the body as well.'],
  [/token$/, 'A token of `GET /rest/login`.'],
  [/login$/, 'A login name, together with a password.'],
  [/password$/, 'An API key of the user, as the password.'],
];

const NAMES = Object.keys(credentialParameters.shape);

/** Every way to authenticate: headers and parameters. functions/README.md 3. */
export function securitySchemes(): JsonObject {
  const parameters = NAMES.map((name): [string, JsonObject] => {
    const description = KINDS.find(([pattern]) => pattern.test(name))?.[1];
    if (description === undefined) throw new Error(`The parameter ${name} has no documentation`);
    return [name, { type: 'apiKey', in: 'query', name, description }];
  });
  return { ...IN_HEADERS, ...Object.fromEntries(parameters) };
}

/** The alternatives that an operation accepts; `{}` is anonymous access. */
export function securityOf(authPolicy: AuthPolicy): JsonObject[] {
  if (authPolicy === 'none' || authPolicy === 'login exempt') return [];
  const pairs = NAMES.filter((name) => name.endsWith('login')).map((login) => [
    login,
    login.replace('login', 'password'),
  ]);
  const alone = NAMES.filter((name) => /key$|token$/.test(name));
  const ways = [
    ['X-BUGZILLA-API-KEY'],
    ['Bearer'],
    ['X-BUGZILLA-TOKEN'],
    ['X-BUGZILLA-LOGIN', 'X-BUGZILLA-PASSWORD'],
    ...alone.map((name) => [name]),
    ...pairs,
  ].map((names) => Object.fromEntries(names.map((name) => [name, []])));
  const isAnonymousAllowed = authPolicy === 'public' || authPolicy === 'always public';
  return isAnonymousAllowed ? [{}, ...ways] : ways;
}
