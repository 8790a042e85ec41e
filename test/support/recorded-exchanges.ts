import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bugless, referenceCatalogue } from './bugless.ts';

/**
 * The exchanges recorded from a running Bugzilla 5.2, asked of Bugless in the recorded order. They are half of
 * what was recorded, so what the other half wrote is missing: writes, and reads of what was written, are
 * compared by status and code, all other reads whole.
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
  /** true: as Bugzilla; a number: as another exchange, of which only those in the file can be looked up */
  as_recorded?: true | number;
}

const exchanges: Exchange[] = readFileSync(join(import.meta.dirname, '../reference/examples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const COMPARED_WHOLE = new Set(['product_lists', 'product_get', 'comment_get', 'info']);

/** Why an exchange cannot be asked: by its name, or by its request. */
const NOT_ASKED: [RegExp, string][] = [
  [/^If-None-Match (quoted|list)$/, 'names the ETag of Bugzilla'],
  [/^GET \/rest\/bug\/comment\/1\d\d\b/, 'reads back a comment of the other half'],
  [/^GET with body$/, 'fetch sends no body with GET'],
];

/** What the other half did to the product 12 in between, without which the recorded answers make no sense. */
const UNRECORDED: Record<string, { before?: object; after?: object }> = {
  'rename back, by old name': { before: { name: 'Gamma' }, after: { name: 'beta' } },
  'rename 64': { after: { name: 'beta' } },
};

/** Content types were not recorded; the names tell them. */
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

const asked = exchanges.filter(
  ({ name, request }) => !NOT_ASKED.some(([pattern]) => pattern.test(name) || pattern.test(request)),
);

/** What the data set behind the exchanges was recorded with. */
export const RECORDED_SETTINGS = { DEFAULT_MILESTONE: '---' };

/**
 * Declares a test for each exchange.
 *
 * @param call asks a Bugless with the reference catalogue, freshly loaded, and the settings above
 */
export function describeRecordedExchanges(call: Bugless['call']): void {
  describe('recorded exchanges', () => {
    declareExchanges(call);
  });
}

function declareExchanges(call: Bugless['call']): void {
  for (const [place, exchange] of asked.entries()) {
    it(`${place} ${exchange.section}: ${exchange.name}, as ${exchange.as}: ${exchange.request}`, async () => {
      await changeUnrecorded(call, UNRECORDED[exchange.name]?.before);
      const { status, body, method } = await ask(call, exchange);
      await changeUnrecorded(call, UNRECORDED[exchange.name]?.after);
      const accepted = acceptedAnswers(exchange);
      expect(accepted.map((one) => one.status)).toContain(status);
      const codes = accepted.filter((one) => one.status === status).map(({ code }) => code);
      if (!codes.includes(undefined)) expect(codes).toContain(body.code);
      if (COMPARED_WHOLE.has(exchange.section) && status === 200 && method === 'GET') {
        const wholes = accepted.flatMap(({ response }) =>
          response === undefined ? [] : [comparable(response)],
        );
        if (wholes.length > 0) expect(wholes).toContainEqual(comparable(body));
      }
    });
  }
}

async function ask(call: Bugless['call'], exchange: Exchange) {
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

function acceptedAnswers({ bugzilla, bugless }: Exchange): Expected[] {
  const answers = bugless === undefined ? [bugzilla] : [bugless.answer].flat();
  return answers.map((answer) => {
    if (answer.as_recorded === undefined) return answer;
    return answer.as_recorded === true ? bugzilla : { status: 200 };
  });
}

function sentBody({ body, name }: Exchange): unknown {
  if (typeof body === 'string') return JSON.stringify(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if ('__raw__' in body) return body.__raw__;
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, expanded(value, name)]));
}

/** Long texts were recorded as their beginning and length. */
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

/** Products and ids stand in no order of their own in Bugzilla. */
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
