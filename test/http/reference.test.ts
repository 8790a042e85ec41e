import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, referenceCatalogue, startBugless } from '../support/bugless.ts';

/**
 * The exchanges recorded from a running Bugzilla 5.2, asked of Bugless in the recorded order. They are half of
 * what was recorded, so what a write of the other half left behind is not there: answers of sections that
 * write are compared by status and code, the others whole.
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
  as_recorded?: true | number;
}

const exchanges: Exchange[] = readFileSync(join(import.meta.dirname, '../reference/examples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const COMPARED_WHOLE = new Set(['product_lists', 'product_get', 'comment_get', 'info', 'protocol']);

/** Exchanges that depend on what is not among the recorded ones. */
const DEPENDENT: Record<string, string> = {};

let bugless: Bugless;
beforeAll(async () => {
  bugless = await startBugless(referenceCatalogue(), { DEFAULT_MILESTONE: '---' });
});

const keys = new Map(
  referenceCatalogue().users.flatMap(({ login, api_keys }) =>
    api_keys.map(({ key, revoked }) => [revoked ? 'revoked' : login.split('@')[0], key] as const),
  ),
);

describe('recorded exchanges', () => {
  for (const exchange of exchanges) {
    const { section, name, as, request } = exchange;
    if (DEPENDENT[name] !== undefined) continue;
    it(`${section}: ${name}, as ${as}: ${request}`, async () => {
      const [method = '', path = ''] = request.split(/ (.*)/s);
      const { status, body } = await bugless.call(method, path, {
        key: keys.get(as),
        body: sentBody(exchange),
        ...(exchange.headers === undefined ? {} : { headers: exchange.headers }),
      });
      const accepted = acceptedAnswers(exchange);
      const got = { status, code: body.code };
      if (accepted.length === 0) return;
      expect(accepted.map(({ status, code }) => ({ status, code }))).toContainEqual(got);
      if (COMPARED_WHOLE.has(section) && status === 200 && method === 'GET') {
        const wholes = accepted.filter(({ response }) => response !== undefined).map(({ response }) => sorted(response));
        expect(wholes).toContainEqual(sorted(body));
      }
    });
  }
});

function acceptedAnswers({ bugzilla, bugless }: Exchange): Expected[] {
  const answers = bugless === undefined ? [bugzilla] : [bugless.answer].flat();
  return answers.flatMap((answer) => {
    if (answer.as_recorded === true) return [bugzilla];
    return answer.as_recorded === undefined ? [answer] : [];
  });
}

function sentBody({ body }: Exchange): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('__raw__' in body) return body.__raw__;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, expanded(value)]),
  );
}

function expanded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('__len__' in value) || !('__head__' in value)) return value;
  return String(value.__head__)[0]?.repeat(Number(value.__len__));
}

/** Lists that Bugzilla gives in no order of its own: products, ids. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { ids, products } = value as { ids?: number[]; products?: { id: number }[] };
  if (ids !== undefined) return { ids: ids.toSorted((a, b) => a - b) };
  if (products !== undefined) return { products: products.toSorted((a, b) => a.id - b.id) };
  return value;
}
