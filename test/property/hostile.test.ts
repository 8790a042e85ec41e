import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../lib/table/read.ts';
import { referenceCatalogue, startService, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { exchangeRaw } from '../support/raw-http.ts';
import { isLong } from '../support/sample.ts';
import type { RawReply } from '../support/send-bytes.ts';
import { itemsButCounters } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const MEGABYTE = 1_048_576;
/** The limit of API Gateway. */
const LARGEST = 10 * MEGABYTE;
/** Of each kind of hostile body: the largest ones in a run with `RUNS`. */
const MEGABYTES = isLong ? 10 : 2;
const SIZE = MEGABYTES * MEGABYTE;
/** Of client, service and tests together; usual is a third of it, unbounded memory would take far more. */
const MOST_MEGABYTES = 2_500;
/**
 * A request of 10 MB takes at most 1 s of CPU in the function; the process also runs the client and the gateway, and all of it
 * takes three times as long where other processes share the core and its caches.
 */
const MAX_CPU_MS = isLong ? 4_000 : 2_000;

/** Without the bug that has a hundred comments, because the tests read all items again and again. */
const bugless = useStarted(() => {
  const { bugs, ...others } = referenceCatalogue();
  return startService({ ...others, bugs: bugs.filter(({ id }) => id !== 8) });
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

async function send(method: string, target: string, body: string, type = JSON_TYPE) {
  const headers = { 'content-type': type, 'x-bugzilla-api-key': keys.admin };
  const bytes = Buffer.from(body);
  const before = process.cpuUsage();
  const reply = await bugless.send({ method, target, headers, body: bytes });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  return reply;
}

const codeOf = ({ status, body }: RawReply) => [status, JSON.parse(body.toString()).code];

/** `unit` repeated between `start` and `end` up to the size. */
function filled(start: string, unit: string, end: string, bytes = SIZE): string {
  const room = bytes - Buffer.byteLength(start) - Buffer.byteLength(end);
  return start + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end;
}

/** Combining marks in reverse order: the worst case of the sorting in Unicode normalization. */
const MARKS = '\u0315\u0300';

const PRODUCT = '/rest/product';
const COMMENT = '/rest/bug/1/comment';
const TAGS = '/rest/bug/comment/10/tags';
const BUG = '/rest/bug';
const CHANGED = '/rest/product/2';
const NEW = '"description":"d","version":"1"';
const NEW_BUG = '"product":"Alpha","component":"Core","version":"1.0","summary":"s"';

/** What, where, the body, the expected status and code, and the content type. */
type Hostile = [string, string, () => string, [number, number], string?];

const large: Hostile[] = [
  ['a comment', COMMENT, () => filled('{"comment":"', 'x', '"}'), [400, 114]],
  ['white space in a comment', COMMENT, () => filled('{"comment":"', '\\t\\r', '"}'), [400, 50]],
  ['white space', COMMENT, () => filled('', ' ', ''), [400, 50]],
  ['lists in lists', PRODUCT, () => filled('{"name":', '[', ''), [400, 32000]],
  [
    'lists in lists that end',
    PRODUCT,
    () => filled(filled('{"name":', '[', '', SIZE / 2), ']', '}'),
    [400, 32000],
  ],
  ['empty objects', TAGS, () => filled('{"add":[1', ',{}', ']}'), [400, 32000]],
  ['empty lists', COMMENT, () => filled('{"a":[1', ',[]', ']}'), [400, 32000]],
  ['numbers', TAGS, () => filled('{"add":[1', ',1', ']}'), [400, 32000]],
  ['one number', COMMENT, () => filled('{"comment":', '9', '}'), [400, 53]],
  [
    'many parameters',
    PRODUCT,
    () => `{${times(Math.floor(SIZE / 13), (at) => `"${at}":1`).join(',')}}`,
    [400, 32000],
  ],
  ['one parameter many times', PRODUCT, () => filled('{"name":"a"', ',"name":"b"', '}'), [400, 32000]],
  ['a form', PRODUCT, () => filled('', 'a&', ''), [400, 32000], FORM_TYPE],
  ['a form of one value', COMMENT, () => filled('comment=', '%41', ''), [400, 114], FORM_TYPE],
  ['digits that are no number', COMMENT, () => filled('{"comment":"c","work_time":"', '1', 'x"}'), [400, 52]],
  ['combining marks in a name', PRODUCT, () => filled(`{${NEW},"name":"a`, MARKS, '"}'), [400, 701]],
  [
    'combining marks in a classification',
    PRODUCT,
    () => filled(`{${NEW},"name":"n","classification":"a`, MARKS, '"}'),
    [404, 51],
  ],
  ['combining marks in a tag', TAGS, () => filled('{"add":["a', MARKS, '"]}'), [400, 127]],
  [
    'combining marks in names of products to change',
    CHANGED,
    () => filled('{"description":"d","names":["a', MARKS, '"]}'),
    [401, 106],
  ],
  [
    'combining marks in the login of somebody to assign a bug to',
    BUG,
    () => filled(`{${NEW_BUG},"assigned_to":"a`, MARKS, '"}'),
    [404, 51],
  ],
];

/** Names of combining marks, at and above the maximum length of normalized names. */
const markedNames = [500, 4_000].flatMap((length): Hostile[] => {
  const list = (start: string, count: number) => () =>
    `{${start}:[${`"a${MARKS.repeat(length / 2)}",`.repeat((count * MEGABYTES) / 10)}"b"]}`;
  const what = (names: string) => `${names} of ${length} combining marks`;
  return [
    [what('aliases'), BUG, list(`${NEW_BUG},"alias"`, 1_250), [400, 103]],
    [what('keywords'), BUG, list(`${NEW_BUG},"keywords"`, 1_250), [404, 51]],
    [what('logins on CC'), BUG, list(`${NEW_BUG},"cc"`, 1_250), [401, 504]],
    [what('groups'), BUG, list(`${NEW_BUG},"groups"`, 1_250), [401, 120]],
    [what('tags'), TAGS, list('"add"', 1_250), [400, 127]],
    [what('products'), CHANGED, list('"description":"d","names"', 900), [401, 106]],
  ];
});

describe(`${MEGABYTES} MB of`, () => {
  let before: Item[];
  beforeAll(async () => {
    before = await itemsButCounters(bugless.table);
  });

  it.for([...large, ...markedNames])(
    '%s get a documented response, and change nothing',
    async ([, to, body, code, type]) => {
      const method = to === TAGS || to === CHANGED ? 'PUT' : 'POST';
      expect(codeOf(await send(method, to, body(), type))).toEqual(code);
      expect(await itemsButCounters(bugless.table)).toEqual(before);
    },
  );
});

describe('10 MB of', () => {
  it('invalid UTF-8 are refused', async () => {
    const headers = { 'content-type': 'application/octet-stream', 'x-bugzilla-api-key': keys.admin };
    const body = Buffer.alloc(LARGEST, 0xff);
    const reply = await bugless.send({ method: 'POST', target: COMMENT, headers, body });
    expect(codeOf(reply)).toEqual([400, 32000]);
  });

  it('a comment are freed after the response, as all of the above', async () => {
    expect(process.resourceUsage().maxRSS / 1_024).toBeLessThan(MOST_MEGABYTES);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const used = async () => {
      const body = filled('{"comment":"', 'x', '"}', LARGEST);
      expect(codeOf(await send('POST', COMMENT, body))).toEqual([400, 114]);
      collectGarbage();
      return process.memoryUsage().heapUsed / MEGABYTE;
    };
    const first = await used();
    for (let round = 0; round < (isLong ? 2 : 1); round += 1) await used();
    expect(await used()).toBeLessThan(first + 10);
  });
});

describe('many headers', () => {
  const flooded = (count: number) => {
    const headers = times(count, (at) => `h${at}: v\r\n`).join('');
    const head = `GET /rest/version HTTP/1.1\r\nhost: a\r\n${headers}connection: close\r\n\r\n`;
    return exchangeRaw(bugless.url, head);
  };

  it('up to the limit of API Gateway are accepted', async () => {
    expect(await flooded(900)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"version":"5\.2"/);
  });

  it.for([1_500, 5_000])('above the limit are refused: %i', async (count) => {
    expect(await flooded(count)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('of one name are joined', async () => {
    const twice = `x-bugzilla-api-key: ${keys.admin}\r\n`.repeat(2);
    const head = `GET /rest/whoami HTTP/1.1\r\nhost: a\r\n${twice}connection: close\r\n\r\n`;
    expect(await exchangeRaw(bugless.url, head)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":306/);
  });
});

it.each([
  `^V${'(?:|)'.repeat(32)}!`,
  `${'(?:^|$)'.repeat(200)}!`,
  `${'(?:\\b|\\B)'.repeat(200)}!`,
  `${'(|)'.repeat(500)}!`,
  '(a+)+!',
  `${'(a|a)*'.repeat(200)}!`,
  '(.*)*!',
  `${'x*'.repeat(900)}!`,
  '[^a]{1900}!',
  '((a{99}){99}){99}',
  '('.repeat(3_000),
  `${'\\p{L}*'.repeat(90)}!`,
])('a regular expression in a search takes bounded time: %.30s', async (pattern) => {
  for (const field of ['product', 'short_desc', 'longdesc', 'assigned_to']) {
    const query = new URLSearchParams({ f1: field, o1: 'regexp', v1: pattern });
    const { status } = await send('GET', `/rest/bug?${query}`, '');
    expect([200, 400]).toContain(status);
  }
});

describe('a search of very many conditions', () => {
  const list = (count: number, separator: string, item: (at: number) => string) =>
    times(count, item).join(separator);
  const charts = (count: number) =>
    list(count, '&', (at) => `f${at}=short_desc&o${at}=substring&v${at}=w${at}`);

  it.each<[string, string, number, number | undefined]>([
    ['a quicksearch of many words', `quicksearch=${list(1_600, '+', (at) => `w${at}`)}`, 400, 32000],
    ['a quicksearch of many alternatives', `quicksearch=${list(1_600, '|', (at) => `w${at}`)}`, 400, 32000],
    ['a quicksearch of many values', `quicksearch=${list(1_600, ',', (at) => `w${at}`)}`, 400, 32000],
    [
      'a quicksearch of fields times values',
      `quicksearch=${list(1_000, ',', () => 'cc')},product,op_sys:${list(800, ',', (at) => `w${at}`)}`,
      400,
      32000,
    ],
    ['a quicksearch of 100 words', `quicksearch=ALL+${list(100, '+', (at) => `w${at}`)}`, 200, undefined],
    ['a quicksearch of one word repeated', `quicksearch=${list(3_000, '+', () => 'w')}`, 200, undefined],
    ['many words', `summary=${list(1_600, '+', (at) => `w${at}`)}`, 400, 32000],
    ['many charts', charts(200), 400, 32000],
    ['100 charts', charts(100), 200, undefined],
    ['many groups of charts', list(900, '&', (at) => `f${at}=OP`), 400, 32000],
    ['many ids', `id=${list(1_500, ',', String)}`, 200, undefined],
    ['a change repeated', `chfieldvalue=P1&${list(300, '&', () => 'chfield=priority')}`, 200, undefined],
  ])('is refused, or takes bounded time: %s', async (_, query, status, code) => {
    const reply = await send('GET', `/rest/bug?${query}`, '');
    expect(codeOf(reply)).toEqual([status, code]);
  });
});

it('a repeated name in a JSON object has its last value, as in Bugzilla', async () => {
  const reply = await send('POST', COMMENT, '{"comment":"first","comment":"last"}');
  const { id } = JSON.parse(reply.body.toString());
  const { body } = await bugless.call('GET', `/rest/bug/comment/${id}`, { key: keys.admin });
  expect(body.comments[id].text).toBe('last');
});

it('after these requests the integrity check finds no violations', async () => {
  await expectNoViolations(bugless.table);
});
