import { expect, it } from 'vitest';
import { eventOf } from '../../infra/local/gateway/event.ts';
import { lambdaContext } from '../../infra/local/gateway/lambda.ts';
import { lambdaHandler } from '../../lib/http/handler.ts';
import { ok } from '../../lib/http/response/json.ts';
import { anonymous } from '../../lib/people/caller.ts';
import { readSettings } from '../../lib/settings.ts';

/** The outcome of a request to a route of this method, which returns a parameter of its body. */
async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', settings: Record<string, string> = {}) {
  const path = '/rest/thing';
  const services = {
    settings: readSettings({ TABLE_NAME: 'none', ...settings }),
    users: {
      byApiKey: async () => anonymous,
      byToken: async () => undefined,
      byPassword: async () => anonymous,
    },
    logger: { request: () => undefined, error: () => undefined, warn: () => undefined },
  };
  const routes = [{ method, path, endpoint: 'thing', authPolicy: 'none' }] as const;
  const handler = lambdaHandler(
    routes,
    { thing: async ({ parameters }) => ok({ given: parameters.get('name') ?? null }) },
    services,
  );
  const request = {
    ...{ method, target: path, httpVersion: '1.1', sourceIp: '127.0.0.1' },
    rawHeaders: ['content-type', 'application/json'],
    body: Buffer.from('{"name": "in the body"}'),
  };
  const event = eventOf(request, { routeKey: `${method} ${path}`, pathParameters: {} }, new Date());
  const response = await handler(event, lambdaContext('test'));
  if (!('statusCode' in response)) throw new Error('The response is not HTTP');
  return [response.statusCode, JSON.parse(response.body).given];
}

it.each([
  ['GET', null, 200],
  ['POST', 'in the body', 503],
  ['PUT', 'in the body', 503],
  ['DELETE', 'in the body', 503],
] as const)(
  '%s reads %s from its body, and gets %i in a read-only deployment',
  async (method, given, status) => {
    expect(await call(method)).toEqual([200, given]);
    expect((await call(method, { READ_ONLY: 'true' }))[0]).toBe(status);
  },
);
