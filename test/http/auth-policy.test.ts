import { describe, expect, it } from 'vitest';
import { eventOf } from '../../infra/local/gateway/event.ts';
import { lambdaContext } from '../../infra/local/gateway/lambda.ts';
import { errors } from '../../lib/errors.ts';
import { lambdaHandler } from '../../lib/http/handler.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { AuthPolicy } from '../../lib/http/routes.ts';
import { anonymous, type Caller } from '../../lib/people/caller.ts';
import { readSettings } from '../../lib/settings.ts';

const callers: Record<string, Caller> = {
  member: {
    user: { id: 1, login: 'a@example.com', real_name: '' },
    groups: new Set(['editcomponents', 'taggers']),
  },
  user: { user: { id: 2, login: 'b@example.com', real_name: '' }, groups: new Set() },
};

const users = {
  byApiKey: async (key: string) => {
    const caller = callers[key];
    if (caller === undefined) throw errors.apiKeyInvalid();
    return caller;
  },
  byToken: async () => undefined,
  byPassword: async () => anonymous,
};

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The response to a request with a body, of an endpoint that returns a parameter of it and never awaits the caller. */
async function respond(
  [method, authPolicy]: [Method, AuthPolicy],
  key?: string,
  settings: Record<string, string> = {},
) {
  const path = '/rest/forgetful';
  const routes = [{ method, path, endpoint: 'forgetful', authPolicy }] as const;
  const services = {
    settings: readSettings({ TABLE_NAME: 'none', ...settings }),
    users,
    logger: { request: () => undefined, error: () => undefined, warn: () => undefined },
  };
  const handler = lambdaHandler(
    routes,
    { forgetful: async ({ parameters }) => ok({ given: parameters.get('name') ?? null }) },
    services,
  );
  const request = {
    ...{ method, target: path, httpVersion: '1.1', sourceIp: '127.0.0.1' },
    rawHeaders: [
      ...['content-type', 'application/json'],
      ...(key === undefined ? [] : ['x-bugzilla-api-key', key]),
    ],
    body: Buffer.from('{"name": "in the body"}'),
  };
  const event = eventOf(request, { routeKey: `${method} ${path}`, pathParameters: {} }, new Date());
  const response = await handler(event, lambdaContext('test'));
  if (!('statusCode' in response)) throw new Error('The response is not HTTP');
  return { status: response.statusCode, ...JSON.parse(response.body) };
}

async function callForgetful(...[policy, ...caller]: [AuthPolicy, string?, Record<string, string>?]) {
  const { status, code } = await respond(['GET', policy], ...caller);
  return status === 200 ? 'answered' : `${status} ${code}`;
}

describe('an endpoint that never awaits the caller', () => {
  it.each<[AuthPolicy, { anonymous: string; wrongKey: string; user: string; member: string }]>([
    ['none', { anonymous: 'answered', wrongKey: 'answered', user: 'answered', member: 'answered' }],
    ['always public', { anonymous: 'answered', wrongKey: '400 306', user: 'answered', member: 'answered' }],
    ['public', { anonymous: 'answered', wrongKey: '400 306', user: 'answered', member: 'answered' }],
    ['user', { anonymous: '401 410', wrongKey: '400 306', user: 'answered', member: 'answered' }],
    ['editComponents', { anonymous: '401 410', wrongKey: '400 306', user: '401 304', member: 'answered' }],
    [
      'editcomponents of a product',
      { anonymous: '401 410', wrongKey: '400 306', user: 'answered', member: 'answered' },
    ],
    ['tagger', { anonymous: '401 410', wrongKey: '400 306', user: '401 304', member: 'answered' }],
  ])('is guarded by the policy %s of its route', async (policy, expected) => {
    expect({
      anonymous: await callForgetful(policy),
      wrongKey: await callForgetful(policy, 'wrong'),
      user: await callForgetful(policy, 'user'),
      member: await callForgetful(policy, 'member'),
    }).toEqual(expected);
  });

  it('is guarded where the deployment requires login', async () => {
    const settings = { REQUIRE_LOGIN: 'true' };
    expect(await callForgetful('public', undefined, settings)).toBe('401 410');
    expect(await callForgetful('always public', undefined, settings)).toBe('answered');
  });

  it('is guarded where tags are switched off', async () => {
    expect(await callForgetful('tagger', 'member', { COMMENT_TAGGERS_GROUP: '' })).toBe('400 125');
  });
});

it.each([
  ['GET', null, 200],
  ['POST', 'in the body', 503],
  ['PUT', 'in the body', 503],
  ['DELETE', 'in the body', 503],
] as const)(
  '%s reads %s from its body, and gets %i in a read-only deployment',
  async (method, given, status) => {
    expect(await respond([method, 'none'])).toEqual({ status: 200, given });
    expect((await respond([method, 'none'], undefined, { READ_ONLY: 'true' })).status).toBe(status);
  },
);
