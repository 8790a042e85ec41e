import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { isLong } from '../support/sample.ts';
import type { SentRequest } from '../support/send-bytes.ts';

const MEGABYTE = 1_000_000;
/** What API Gateway passes to a function as base64, and what a function may receive. */
const SIZES = isLong ? [1, 4.5] : [1];
/**
 * For each MB, in times of half a MB of short texts of ASCII, so that the test does not depend on the machine: 150 ms where those
 * take 12 ms.
 */
const MAX_TIMES_ASCII = 12;
const ROUNDS = 3;

const bugless = useStarted(() => startBugless());
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** The least milliseconds of processor time of some rounds: anonymous callers pay nothing. */
async function timeOf(request: SentRequest): Promise<{ ms: number; status: number }> {
  const rounds: { ms: number; status: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const { status } = await bugless.send(request);
    const { user, system } = process.cpuUsage(before);
    rounds.push({ ms: (user + system) / 1_000, status });
  }
  return rounds.toSorted((a, b) => a.ms - b.ms)[0] ?? expect.fail();
}

const post = (target: string, body: Buffer, type: string): SentRequest => ({
  ...{ method: 'POST', target, body },
  headers: { 'content-type': type },
});
const repeated = (unit: string, bytes: number, start = '', end = '') =>
  Buffer.from(start + unit.repeat(Math.floor(bytes / unit.length)) + end, 'latin1');

describe.each(SIZES)('%d MB of an anonymous caller', (megabytes) => {
  const size = megabytes * MEGABYTE;
  const ascii = post('/rest/bug', repeated(',"a":"x"', 450_000, '{"b":1', '}'), JSON_TYPE);

  it.each([
    ['texts that are no UTF-8', repeated('"\xff"', size), JSON_TYPE],
    ['an object of such values', repeated(',"a":"\xff"', Math.min(size, 450_000), '{"b":1', '}'), JSON_TYPE],
    ['one such text', repeated('\xff', size, '{"a":"', '"}'), JSON_TYPE],
    ['bytes alone', repeated('\xff', size), JSON_TYPE],
    ['quotes', repeated('"', size), JSON_TYPE],
    ['escaped quotes', repeated('\\"', size, '{"a":"', '"}'), JSON_TYPE],
    ['backslashes', repeated('\\\\', size, '{"a":"', '"}'), JSON_TYPE],
    ['escapes', repeated('\\u00ff', size, '{"a":"', '"}'), JSON_TYPE],
    ['lists in lists', repeated('[', size), JSON_TYPE],
    ['separators', repeated(',', size), JSON_TYPE],
    ['colons', repeated(':', size), JSON_TYPE],
    ['digits', repeated('1234567890123456,', size, '[', '1]'), JSON_TYPE],
    ['one number', repeated('9', size, '{"a":', '}'), JSON_TYPE],
    ['percent signs', repeated('%', size), FORM],
    ['a value of escapes that are no UTF-8', repeated('%FF', size, 'a='), FORM],
    ['9,999 names and values of such escapes', repeated('%FFi=%FF%FF&', 9_999 * 12), FORM],
    ['escapes cut off', repeated('%F', size, 'a='), FORM],
    ['bytes of a form', repeated('\xff', size, 'a='), FORM],
    ['equals signs', repeated('=', size), FORM],
    ['plus signs', repeated('+', size, 'a='), FORM],
    ['pairs', repeated('&', size), FORM],
    ['semicolons', repeated(';', size), FORM],
  ])('take processor time that is linear in their size: %s', async (_, body, type) => {
    const { ms: usual } = await timeOf(ascii);
    const { ms, status } = await timeOf(post('/rest/bug', body, type));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(ms).toBeLessThan(MAX_TIMES_ASCII * usual * megabytes);
  });
});

/** The largest head of a request that API Gateway accepts has 10,240 bytes. */
const HEAD = 9_800;

const fill = (unit: string, start = '') =>
  start + unit.repeat(Math.floor((HEAD - start.length) / unit.length));

it.each([
  ['a path', fill('%FF', '/rest/product/')],
  ['slashes', fill('/', '/rest/')],
  ['a query', fill('%FFi=%FF%FF&', '/rest/bug?')],
  ['names without values', fill('&', '/rest/bug?')],
  ['words of full text', `/rest/bug?limit=1&f1=content&o1=matches&v1=${fill('w1+').slice(0, 6_900)}`],
  ['groups of full text', `/rest/bug?f1=content&o1=matches&v1=${fill('([a-z]{1,1000})')}`],
  ['a compound of full text', `/rest/bug?quicksearch=${fill('2016-')}`],
  ['a compound in quotes', `/rest/bug?quicksearch=${fill('2016-', '%22')}%22`],
  ['parentheses of full text', `/rest/bug?f1=content&o1=matches&v1=${fill('(a+')}`],
  ['prefixes of full text', `/rest/bug?f1=content&o1=matches&v1=${fill('%2Ba*+')}`],
  ['words of a quicksearch', `/rest/bug?quicksearch=${fill('w+')}`],
  ['alternatives of a quicksearch', `/rest/bug?quicksearch=${fill('w|')}`],
  ['quotes of a quicksearch', `/rest/bug?quicksearch=${fill('%22')}`],
  ['a regular expression', `/rest/bug?f1=short_desc&o1=regexp&v1=${fill('(a|b)*').slice(0, 9_000)}`],
  [
    'regular expressions',
    `/rest/bug?${Array.from({ length: 180 }, (_, n) => `f${n}=short_desc&o${n}=regexp&v${n}=(a|b)*${n}&`).join('')}`,
  ],
  ['numbers of bugs', `/rest/bug?id=${fill('1,')}`],
  ['names of fields', `/rest/bug?include_fields=${fill('a.b,')}`],
  ['orders', `/rest/bug?order=${fill('bug_id,')}`],
])('a head of 10 KB of an anonymous caller takes little processor time: %s', async (_, target) => {
  const usual = await timeOf({ method: 'GET', target: '/rest/bug?limit=1', headers: {}, body: undefined });
  const { ms } = await timeOf({ method: 'GET', target, headers: {}, body: undefined });
  expect(ms).toBeLessThan(MAX_TIMES_ASCII * usual.ms);
});
