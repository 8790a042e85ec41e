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

/** The outcome of a request to an endpoint that never awaits the caller. */
async function callForgetful(authPolicy: AuthPolicy, key?: string, settings: Record<string, string> = {}) {
  const routes = [{ method: 'GET', path: '/rest/forgetful', endpoint: 'forgetful', authPolicy }] as const;
  const services = {
    settings: readSettings({ TABLE_NAME: 'none', ...settings }),
    users,
    logger: { request: () => undefined, error: () => undefined, warn: () => undefined },
  };
  const handler = lambdaHandler(routes, { forgetful: async () => ok({ secret: true }) }, services);
  const request = {
    method: 'GET',
    target: '/rest/forgetful',
    rawHeaders: key === undefined ? [] : ['x-bugzilla-api-key', key],
    httpVersion: '1.1',
    sourceIp: '127.0.0.1',
    body: Buffer.of(),
  };
  const event = eventOf(request, { routeKey: 'GET /rest/forgetful', pathParameters: {} }, new Date());
  const response = await handler(event, lambdaContext('test'));
  if (!('statusCode' in response)) throw new Error('The response is not HTTP');
  const body = JSON.parse(response.body);
  return body.secret ? 'answered' : `${response.statusCode} ${body.code}`;
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
