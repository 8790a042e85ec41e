import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import type { Bugless } from './bugless.ts';
import { parseCompleteCatalogue } from './complete-catalogue.ts';

const FOLDER = join(import.meta.dirname, '../reference');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8').trim();

interface Expected {
  status: number;
  code?: number | string;
  response?: unknown;
  /** true: equal to that of Bugzilla; a number: equal to that of another exchange, which may not be in the file */
  as_recorded?: true | number;
}

/** What the recording does not say: reference/replay.json has it, with the reason, by lines and sections. */
interface Rule {
  lines?: number[];
  sections?: string[];
  skip?: true;
  /** Bugless responds otherwise on purpose: functions/README.md 11 has the numbers */
  intended?: true;
  /** status: responses are compared by status and code only */
  compare?: 'status';
  keyInQuery?: true;
  headers?: Record<string, string>;
  /** the end of long texts */
  trailing?: string;
  /** updates of product 12 */
  before?: object;
  after?: object;
}

/** What Bugless responds instead. */
type OwnAnswer = Expected | 'as Bugzilla' | 'not checked';

/** An exchange recorded from a Bugzilla 5.2. */
export interface Exchange extends Omit<Rule, 'lines' | 'sections' | 'skip' | 'intended'> {
  line: number;
  section: string;
  name: string;
  as: string;
  request: string;
  body?: unknown;
  bugzilla: Expected;
  bugless?: { answer: OwnAnswer | OwnAnswer[] };
}

/** Recorded exchanges. They are half of those that were recorded: writes of the other half are missing. */
export interface Recording {
  cataloguePath: string;
  catalogue(): Catalogue;
  /** in the recorded order; each group began with the same data */
  groups: { sections: string[]; exchanges: Exchange[] }[];
  /** API keys by the names of users */
  keys: ReadonlyMap<string | undefined, string>;
  /** the numbers of exchanges that Bugless answers otherwise on purpose */
  intended: number[];
}

/** The settings of the recorded Bugzilla. */
export const RECORDED_SETTINGS = { DEFAULT_MILESTONE: '---' };

/** @param name of a file in reference/ */
export function openRecording(name: 'bugs' | 'examples' | 'extras'): Recording {
  const { catalogue, groups, rules }: { catalogue: string; groups: string[][]; rules: Rule[] } = JSON.parse(
    read('replay.json'),
  )[name];
  const data = () => parseCompleteCatalogue(JSON.parse(read(catalogue)));
  const exchanges = read(`${name}.jsonl`)
    .split('\n')
    .flatMap((text, line) => {
      const exchange: Exchange = { line, ...JSON.parse(text) };
      const own = rules.filter(
        ({ lines, sections }) => lines?.includes(line) || sections?.includes(exchange.section),
      );
      if (own.some(({ skip }) => skip)) return [];
      return [Object.assign({}, ...own, exchange, headersOf(exchange, own)) as Exchange];
    });
  const users = data().users.flatMap(({ login, api_keys }) =>
    api_keys.map(({ key = '', revoked }) => [revoked ? 'revoked' : login.split('@')[0], key] as const),
  );
  return {
    cataloguePath: join(FOLDER, catalogue),
    catalogue: data,
    groups: groups.map((sections) => ({
      sections,
      exchanges: exchanges.filter(({ section }) => sections.includes(section)),
    })),
    keys: new Map(users),
    intended: rules.flatMap(({ intended, lines = [] }) => (intended ? lines : [])),
  };
}

const headersOf = (exchange: Exchange, rules: Rule[]) => ({
  headers: Object.assign({}, exchange.headers, ...rules.map(({ headers }) => headers)),
});

/**
 * Declares a test for each exchange.
 *
 * @param call of a Bugless with the catalogue of the recording and the settings above
 */
export function replayExchanges(
  exchanges: readonly Exchange[],
  keys: Recording['keys'],
  call: Bugless['call'],
): void {
  const change = async (body: object | undefined) => {
    if (body !== undefined) await call('PUT', '/rest/product/12', { key: keys.get('admin'), body });
  };
  for (const exchange of exchanges) {
    const { line, section, name, as, request } = exchange;
    it(`${line} ${section}: ${name}, as ${as}: ${request}`, async () => {
      await change(exchange.before);
      const { status, body } = await send(exchange, keys, call);
      await change(exchange.after);
      const fitting = acceptedResponses(exchange).filter(
        (one) => one.status === status && (one.code === undefined || one.code === body.code),
      );
      expect(fitting, `${status} ${JSON.stringify(body)}`).not.toEqual([]);
      const isCreation = request.startsWith('POST') && Object.keys(body).join() === 'id';
      if (status >= 300 || isCreation || exchange.compare === 'status') return;
      const responses = fitting.flatMap(({ response }) => (response === undefined ? [] : [response]));
      const isOneOfThem = responses.some((response) => isAsExpected(response, body));
      if (responses.length > 0 && !isOneOfThem) expect(body).toEqual(responses[0]);
    });
  }
}

/** Sends the request of an exchange. */
function send(exchange: Exchange, keys: Recording['keys'], call: Bugless['call']) {
  const { request, as, headers = {}, keyInQuery } = exchange;
  const [method = '', path = ''] = request.split(/ (.*)/s);
  const key = keys.get(as);
  const body = sentBody(exchange.body, exchange.trailing);
  return keyInQuery
    ? call(method, `${path}?Bugzilla_api_key=${key}`, { body, headers })
    : call(method, path, { key, body, headers });
}

/** Those of responses that are not checked further. */
const STATUSES = [200, 201, 400, 401, 404];

function acceptedResponses({ bugzilla, bugless }: Exchange): Expected[] {
  const expected = bugless === undefined ? [bugzilla] : [bugless.answer].flat();
  return expected.flatMap((response): Expected[] => {
    if (response === 'as Bugzilla') return [bugzilla];
    if (response === 'not checked') return STATUSES.map((status) => ({ status }));
    if (response.as_recorded === undefined) return [response];
    return [response.as_recorded === true ? bugzilla : { status: 200 }];
  });
}

/** Long texts were recorded as their start and length, bodies that are not JSON as texts. */
function sentBody(body: unknown, trailing = ''): unknown {
  if (typeof body === 'string') return JSON.stringify(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if ('__raw__' in body) return body.__raw__;
  const long = JSON.stringify(body, (_, value) => {
    if (typeof value !== 'object' || value === null || !('__len__' in value)) return value;
    return `${value.__head__[0].repeat(value.__len__ - trailing.length)}${trailing}`;
  });
  return JSON.parse(long);
}

/** The day of the recording: written data has times of that day. */
const RECORDED_ON = /^2026-11-2[12]T\d\d:\d\d:\d\dZ$/;
const NOW = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Whether a response is as expected, irrespective of times of writes, new ids, and the order of what has none. */
function isAsExpected(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'string' && RECORDED_ON.test(expected)) return NOW.test(String(actual));
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if ('$any' in expected) {
    return expected.$any === 'int' ? Number.isInteger(actual) : typeof actual === expected.$any;
  }
  if ('$oneOf' in expected) return Array.isArray(expected.$oneOf) && expected.$oneOf.includes(actual);
  if ('$new' in expected) return Number.isInteger(actual);
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected)) return Array.isArray(actual) && isSameList(expected, actual);
  const given = new Map(Object.entries(actual));
  const isSame = ([name, value]: [string, unknown]) => isAsExpected(value, given.get(name));
  if ('$partial' in expected) return Object.entries(expected.$partial ?? {}).every(isSame);
  // Bugless has no update tokens, because no request needs them.
  const wanted = Object.entries(expected).filter(([name]) => name !== 'update_token');
  // Bugless tells the total of a part of the hits.
  if (!('total_matches' in expected)) given.delete('total_matches');
  if (wanted.length !== given.size) return false;
  return wanted.every(([name, value]) =>
    UNORDERED.has(name) ? isSameSet(value, given.get(name)) : isSame([name, value]),
  );
}

/** Lists without a particular order in Bugzilla. */
const UNORDERED = new Set(['changes', 'ids', 'products']);

const isSameList = (expected: unknown[], actual: unknown[]): boolean =>
  actual.length === expected.length && expected.every((one, index) => isAsExpected(one, actual[index]));

function isSameSet(expected: unknown, actual: unknown): boolean {
  if (!Array.isArray(expected) || !Array.isArray(actual)) return isAsExpected(expected, actual);
  const isContained = (one: unknown) => actual.some((other) => isAsExpected(one, other));
  return actual.length === expected.length && expected.every(isContained);
}
