import * as z from 'zod/mini';
import { type BugzillaError, errors } from '../../errors.ts';
import { RIGHTS } from '../../people/caller.ts';
import { type Route, writes } from '../routes.ts';
import {
  describe,
  type OperationText,
  parametersOf,
  schemaRef,
  takesIdempotencyKey,
} from './documentation.ts';
import { gatewayBody } from './gateway.ts';
import type { JsonObject, Schemas } from './json-schema.ts';

/** The body of an error response. functions/README.md 2. */
const errorBody = schemaRef(
  'Error',
  "An error in Bugzilla's format.",
  z.object({
    error: z.literal(true),
    code: describe("Bugzilla's error code, for programs.", z.int()),
    message: describe('Description of the error, for users.', z.string()),
    documentation: describe('URL of documentation.', z.string()),
  }),
);

/** Every error of a route: its own, and those that follow from its method and policy. */
export function errorsOf(route: Route, text: OperationText): BugzillaError[] {
  const { authPolicy, path } = route;
  const readsCredentials = authPolicy !== 'none' && authPolicy !== 'login exempt';
  return [
    ...text.errors,
    ...(readsCredentials ? CREDENTIAL_ERRORS : []),
    ...POLICY_ERRORS[authPolicy],
    ...(path.includes('{') ? [errors.routeUnknown('GET', '/rest/product/')] : []),
    ...(writes(route)
      ? [
          errors.bodyUnreadable('it must be a JSON object'),
          errors.contentTypeUnsupported('multipart/form-data'),
          errors.importRuns('https://bugzilla.example.org', '2026-01-31T08:00:00Z'),
        ]
      : [errors.responseTooLarge()]),
    ...(takesIdempotencyKey(route, text) ? [errors.idempotencyKeyReused()] : []),
    ...(parametersOf(text).length > 0
      ? [errors.parameterInvalid('name', 'it must be a single string, number or boolean')]
      : []),
    errors.internal('JKJaXmPLvHcESHA='),
    errors.callbackUnsupported(),
    errors.unavailable(),
    errors.notPermitted('JKJaXmPLvHcESHA='),
    errors.readsTooMuch(),
    errors.readOnly(),
    errors.tableTooNew(2, '1.1.0'),
    errors.formatDamaged(),
    errors.clockOff("This machine's clock is 5 min 2 s ahead of DynamoDB's: set it"),
    errors.upgradePending(),
  ];
}

const membersOnly = ({ group, allows }: { group: string; allows: string }) => [
  errors.loginRequired(),
  errors.notAuthorized(group, allows),
];

/** The errors of each policy, in addition to those of invalid credentials. */
const POLICY_ERRORS: Readonly<Record<Route['authPolicy'], BugzillaError[]>> = {
  none: [],
  'login exempt': [errors.loginWrong()],
  'always public': [],
  public: [errors.loginRequired()],
  user: [errors.loginRequired()],
  editComponents: membersOnly(RIGHTS.editComponents),
  'editcomponents of a product': membersOnly(RIGHTS.editComponents),
  editKeywords: membersOnly(RIGHTS.editKeywords),
  editUsers: membersOnly(RIGHTS.editUsers),
  createGroups: membersOnly(RIGHTS.createGroups),
  readAudit: membersOnly(RIGHTS.readAudit),
  tagger: [...membersOnly({ group: 'taggers', ...RIGHTS.taggers }), errors.tagsDisabled()],
};

const CREDENTIAL_ERRORS = [
  errors.apiKeyInvalid(),
  errors.apiKeyRevoked(),
  errors.sessionEnded(),
  errors.accountDisabled('Ann works elsewhere now'),
  errors.loginWrong(),
  errors.tokenInvalid(),
];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The request is not authenticated, or the user lacks the permission.',
  404: 'Not found.',
  412: 'The bug has changed since: nothing is written.',
  422: 'The `Idempotency-Key` was used for another request.',
  500: 'Internal error; the log of the service has the cause.',
  503: 'The database is temporarily unavailable.',
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'string' } },
};

export type ErrorResponses = ReturnType<typeof errorResponses>;

/** Builds error responses; operations share their examples. */
export function errorResponses(schemas: Schemas, documentationUrl: string) {
  const examples = new Map<string, JsonObject>();

  function response(status: number, some: readonly BugzillaError[]): JsonObject {
    const codes = [...new Set(some.map(({ code }) => code))].sort((a, b) => a - b);
    const ours = {
      allOf: [schemas.convert(errorBody), { properties: { code: { type: 'integer', enum: codes } } }],
    };
    // API Gateway responds in its own format for a function that fails or times out.
    const schema = status < 500 ? ours : { anyOf: [ours, schemas.convert(gatewayBody)] };
    const references = some.map((error) => {
      const name = exampleOf(error);
      return [name, { $ref: `#/components/examples/${name}` }];
    });
    return {
      description: DESCRIPTIONS[status] ?? 'An error.',
      ...(status === 503 ? { headers: RETRY_AFTER } : {}),
      content: { 'application/json': { schema, examples: Object.fromEntries(references) } },
    };
  }

  /** The name of an example: that of the error, numbered where its message depends on the operation. */
  function exampleOf({ name, code, message }: BugzillaError): string {
    const summary = `${code}: ${message}`;
    for (let number = 1; ; number += 1) {
      const key = number === 1 ? name : `${name}_${number}`;
      const existing = examples.get(key);
      if (existing?.['summary'] === summary) return key;
      if (existing !== undefined) continue;
      const value = { error: true, code, message, documentation: documentationUrl };
      examples.set(key, { summary, value });
      return key;
    }
  }

  return {
    /** A response for each status of these errors. */
    responsesFor(all: readonly BugzillaError[]): JsonObject {
      const byStatus = Map.groupBy(all, ({ status }) => status);
      return Object.fromEntries([...byStatus].map(([status, some]) => [status, response(status, some)]));
    },

    /** The examples that the responses refer to, for `components`. */
    examples: (): JsonObject => Object.fromEntries(examples),
  };
}
