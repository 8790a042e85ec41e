import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bugless, referenceCatalogue } from './bugless.ts';

/**
 * Exchanges recorded from a Bugzilla 5.2, replayed against Bugless in the recorded order. They are half of the recorded
 * ones, so writes of the other half are missing: writes, and reads of written data, are compared by status and code,
 * other reads completely.
 */
interface Exchange {
  section: string;
  name: string;
  as: string;
  request: string;
  headers?: Record<string, string>;
  body?: unknown;
  bugzilla: Expected;
  bugless?: { answer: Expected | Expected[] };
}
interface Expected {
  status?: number;
  code?: number | string;
  response?: unknown;
  /** true: equal to that of Bugzilla; a number: equal to that of another exchange, which may not be in the file */
  as_recorded?: true | number;
}

const exchanges: Exchange[] = readFileSync(join(import.meta.dirname, '../reference/examples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const COMPARED_COMPLETELY = new Set(['product_lists', 'product_get', 'comment_get', 'info']);

/** Exchanges that cannot be replayed, by name or request, and why. */
const NOT_REPLAYED: [RegExp, string][] = [
  [/^If-None-Match (quoted|list)$/, 'has the ETag of Bugzilla'],
  [/^GET \/rest\/bug\/comment\/1\d\d\b/, 'reads a comment of the other half'],
  [/^GET with body$/, 'fetch sends no body with GET'],
];

/** Changes of product 12 by the other half, on which recorded responses depend. */
const UNRECORDED: Record<string, { before?: object; after?: object }> = {
  'rename back, by old name': { before: { name: 'Gamma' }, after: { name: 'beta' } },
  'rename 64': { after: { name: 'beta' } },
};

/** Content types, which were not recorded, by the names of exchanges. */
const CONTENT_TYPES: [RegExp, string][] = [
  [/^content-type form|^form content-type/, 'application/x-www-form-urlencoded'],
  [/text\/plain$/, 'text/plain'],
  [/content-type charset$/, 'application/json; charset=UTF-8'],
];

const keys = new Map(
  referenceCatalogue().users.flatMap(({ login, api_keys }) =>
    api_keys.map(({ key, revoked }) => [revoked ? 'revoked' : login.split('@')[0], key] as const),
  ),
);

const replayed = exchanges.filter(
  ({ name, request }) => !NOT_REPLAYED.some(([pattern]) => pattern.test(name) || pattern.test(request)),
);

/** The settings of the recorded Bugzilla. */
export const RECORDED_SETTINGS = { DEFAULT_MILESTONE: '---' };

/**
 * Declares a test for each exchange.
 *
 * @param call of a Bugless with an unchanged reference catalogue and the settings above
 */
export function describeRecordedExchanges(call: Bugless['call']): void {
  describe('recorded exchanges', () => {
    declareExchanges(call);
  });
}

function declareExchanges(call: Bugless['call']): void {
  for (const [place, exchange] of replayed.entries()) {
    it(`${place} ${exchange.section}: ${exchange.name}, as ${exchange.as}: ${exchange.request}`, async () => {
      await changeUnrecorded(call, UNRECORDED[exchange.name]?.before);
      const { status, body, method } = await replay(call, exchange);
      await changeUnrecorded(call, UNRECORDED[exchange.name]?.after);
      const accepted = acceptedResponses(exchange);
      expect(accepted.map((one) => one.status)).toContain(status);
      const codes = accepted.filter((one) => one.status === status).map(({ code }) => code);
      if (!codes.includes(undefined)) expect(codes).toContain(body.code);
      if (COMPARED_COMPLETELY.has(exchange.section) && status === 200 && method === 'GET') {
        const responses = accepted.flatMap(({ response }) =>
          response === undefined ? [] : [comparable(response)],
        );
        if (responses.length > 0) expect(responses).toContainEqual(comparable(body));
      }
    });
  }
}

async function replay(call: Bugless['call'], exchange: Exchange) {
  const [method = '', path = ''] = exchange.request.split(/ (.*)/s);
  const contentType = CONTENT_TYPES.find(([pattern]) => pattern.test(exchange.name))?.[1];
  const reply = await call(method, path, {
    key: keys.get(exchange.as),
    body: sentBody(exchange),
    headers: { ...exchange.headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
  });
  return { ...reply, method };
}

async function changeUnrecorded(call: Bugless['call'], change: object | undefined): Promise<void> {
  if (change !== undefined) await call('PUT', '/rest/product/12', { key: keys.get('admin'), body: change });
}

function acceptedResponses({ bugzilla, bugless }: Exchange): Expected[] {
  const expected = bugless === undefined ? [bugzilla] : [bugless.answer].flat();
  return expected.map((response) => {
    if (response.as_recorded === undefined) return response;
    return response.as_recorded === true ? bugzilla : { status: 200 };
  });
}

function sentBody({ body, name }: Exchange): unknown {
  if (typeof body === 'string') return JSON.stringify(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if ('__raw__' in body) return body.__raw__;
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, expanded(value, name)]));
}

/** Long texts were recorded as their start and length. */
function expanded(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !('__len__' in value && '__head__' in value))
    return value;
  const padding = name.endsWith('trailing whitespace') ? '    ' : '';
  return (
    String(value.__head__)
      .charAt(0)
      .repeat(Number(value.__len__) - padding.length) + padding
  );
}

/** Bugzilla returns products and ids in no particular order. */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { ids, products, $partial } = value as {
    ids?: number[];
    products?: { id: number }[];
    $partial?: object;
  };
  if ($partial !== undefined) return expect.objectContaining($partial);
  if (ids !== undefined) return { ids: ids.toSorted((a, b) => a - b) };
  if (products !== undefined) return { products: products.toSorted((a, b) => a.id - b.id) };
  return value;
}
