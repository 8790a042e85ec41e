import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { portions } from '../../lib/base/collections.ts';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { parseNumbered } from '../support/numbered.ts';
import { times } from '../support/times.ts';
import { type BenchRequest, openGround, openMeasuring } from './environment.ts';
import { markdownTable, printTable } from './print.ts';
import { fill } from './search.ts';

const DEFAULT_BUGS = 20_000;
const RESULTS = join(import.meta.dirname, 'results');
/** No request takes more; a search with an API key takes three times as much at most. */
const BOUNDS = { 'CPU ms': 1_000, calls: 2_000, 'read units': 4_000, 'write units': 6_000 };
/** Longest query string, with room for the path and headers: API Gateway takes 10,240 bytes of these. */
const MAX_QUERY = 9_000;

const PLAIN = 'PlainKey0000000000000000000000000000000';
const LOGIN = 'plain@example.org';
const CALLERS: readonly (readonly [name: string, key: string | undefined])[] = [
  ['anonymous', undefined],
  ['user', PLAIN],
];
/** A bug, and a product, with as much as one may have. */
const LARGE = { bug: 900_001, product: 'Large', attachment: 1 };
/** Bugs with long histories, and bugs with many flagged attachments. */
const HEAVY = { first: 900_100, bugs: 12, files: 500 };
const heavy = times(HEAVY.bugs, (at) => HEAVY.first + at);
const TEAM = 'team';
/** Bugs with long texts: their entries in the change log, and the segments, leave these out. */
const LONG = { first: 910_000, bugs: 520, text: 65_000 };
/** Open bugs of a product of their own whose texts are a little too long for segments. */
const NOTED = { first: 920_000, bugs: 520, text: 600, product: 'Noted' };
/** A bug with as many people on CC as one may have, about. */
const CROWDED = 930_000;

/** As many items as a query string takes. */
function list(name: string, item: (at: number) => string, separator = `&${name}=`): string {
  const items: string[] = [];
  for (let length = name.length; ; ) {
    const next = item(items.length);
    length += next.length + separator.length;
    if (length > MAX_QUERY) return `${name}=${items.join(separator)}`;
    items.push(next);
  }
}
const charts = (count: number, chart: (at: number) => [field: string, operator: string, value: string]) =>
  times(count, (at) => {
    const [field, operator, value] = chart(at);
    return `f${at}=${field}&o${at}=${operator}&v${at}=${encodeURIComponent(value)}`;
  }).join('&');
const chart = (...one: [field: string, operator: string, value: string]) => charts(1, () => one);
const OPEN = 'product=P3&status=__open__';
const words = (count: number, word: (at: number) => string, separator = '%20') =>
  times(count, word).join(separator);
const MARKS = '\u0315\u0300'.repeat(10);
const id = (at: number) => String(at + 1);

type Worst = readonly [what: string, query: string, body?: object];

/** What every route is asked: as many ids and names, which may be distinct or not, as a request takes. */
const ANY_ROUTE: readonly Worst[] = [
  ['alone', ''],
  ['ids', list('ids', id)],
  ['the same id', list('ids', () => String(LARGE.bug))],
  ['names', list('names', (at) => `person${at}@example.org`)],
];
const FIELDS_OF_TEXT = 'short_desc status_whiteboard bug_file_loc assigned_to reporter cc component'.split(
  ' ',
);
/** Each of these fields with 100 words of its own. */
const wordsOfAll = (operator: string) =>
  charts(7, (at) => [FIELDS_OF_TEXT[at] ?? '', operator, words(100, (n) => `q${at}z${n}`, ' ')]);

const NEW = { product: 'P1', component: 'Component 1', version: '1.0', summary: 's' };
const FILE = { file_name: 'f', summary: 's', content_type: 'text/plain' };
const numbers = (count: number) => times(count, (at) => at + 1);
const many = (start: string) => times(5_000, (at) => `${start}${at}`);
const manyWords = (start: string, count = 9_000) => words(count, (at) => `${start}${at}`, ' ');

/** The worst that is known of single routes. */
const WORST: Readonly<Record<string, readonly Worst[]>> = {
  'GET /rest/bug': [
    ['everything', 'limit=0'],
    ['number of all', 'count_only=1'],
    ['90 charts of combining marks', charts(60, () => ['status_whiteboard', 'equals', MARKS])],
    ['700 words, no hit', wordsOfAll('anywordssubstr')],
    ['nowordssubstr', wordsOfAll('nowordssubstr')],
    ['regular expressions', charts(4, () => ['short_desc', 'regexp', '(a|b|w)*(o|r)*[a-z0-9 ]*x$'])],
    ['regular expression of many states', chart('short_desc', 'notregexp', '(.*w){20}zz')],
    [
      'parts of comments of one letter',
      `longdesc=${words(50, (at) => String.fromCharCode(97 + (at % 26)))}%20zz`,
    ],
    ['a part of comments, no hit', chart('longdesc', 'substring', 'qzq')],
    ['a part of comments, in open bugs of a product', `${OPEN}&${chart('longdesc', 'substring', 'qzq')}`],
    ['many words of comments', `quicksearch=ALL%20${words(90, (at) => `word${at.toString(36)}`, '|')}`],
    ['many words that comments have', `quicksearch=ALL%20${words(90, () => 'crash', '|')}`],
    ['none of many words', `quicksearch=ALL%20${words(90, (at) => `-word${at.toString(36)}`)}`],
    ['changes', chart('priority', 'changedto', 'High')],
    ['changes in open bugs of a product', `${OPEN}&${chart('priority', 'changedto', 'High')}`],
    ['idle assignees', chart('owner_idle_time', 'greaterthan', '1d')],
    ['names of assignees', chart('assigned_to_realname', 'substring', 'qzq')],
    [
      'names of people',
      charts(3, (at) => [`${['assigned_to', 'reporter', 'qa_contact'][at]}_realname`, 'substring', 'q']),
    ],
    [
      'one of many logins',
      chart(
        'assigned_to',
        'anyexact',
        words(1_000, (at) => `q${at}@example.org`, ','),
      ),
    ],
    [
      'comments by their text and writer together, in open bugs of a product',
      `product=P3&status=__open__&j_top=AND_G&${charts(2, (at) => (at === 0 ? ['longdesc', 'substring', 'qzq'] : ['longdesc', 'changedby', LOGIN]))}`,
    ],
    ['number of comments', chart('longdescs.count', 'greaterthan', '100')],
    ['commenters', chart('commenter', 'substring', 'rare')],
    ['tags of comments', chart('comment_tag', 'substring', 'x')],
    ['names of files', chart('attachments.filename', 'substring', 'qzq')],
    ['members of a group', `assigned_to=%25group.${TEAM}%25`],
    ['order by names of people', 'limit=20&order=assigned_to_realname'],
    ['order by numbers of comments', 'limit=20&order=longdescs.count'],
    ['data of attachments', chart('attach_data.thedata', 'substring', 'x')],
    ['ids', list('id', id, ',')],
    ['aliases', list('alias', (at) => `a${at}`, ',')],
    ['orders', `limit=20&order=${words(900, () => 'priority', ',')}`],
    [
      'order by all',
      'limit=20&order=priority,bug_severity,short_desc,assigned_to,product,component,op_sys,target_milestone',
    ],
    ['order by change, no hit', 'limit=20&order=changeddate%20DESC&summary=qzqz'],
    ['order by change, hidden product', 'limit=20&order=changeddate&priority=None'],
    ['changed since', 'last_change_time=2000-01-01&summary=qzqz'],
    ['the last page', 'limit=10&offset=19000'],
    [
      'people',
      times(
        40,
        (n) =>
          `email${n}=q${n}&emailtype${n}=substring&emailassigned_to${n}=1&emailcc${n}=1&emailreporter${n}=1`,
      ).join('&'),
    ],
    ['products', list('product', (at) => `P${at}`)],
    ['long texts', 'whiteboard=x&whiteboard_type=substring&include_fields=id'],
    ['long texts, by whom they are', `whiteboard=x&url=y&reporter=${LOGIN}&include_fields=id`],
    ['order by long texts', 'limit=20&order=status_whiteboard&bug_id_type=greaterthan&include_fields=id'],
    ['whole bugs with long texts', `product=${LARGE.product}&limit=100`],
    ['bugs with long texts, by their ids', list('id', (at) => String(LONG.first + at), ',')],
    ['quicksearch in bugs with notes', `quicksearch=product:${NOTED.product}%20parrots&include_fields=id`],
    [
      'changes of bugs with long texts',
      `product=${LARGE.product}&${chart('priority', 'changedfrom', 'High')}`,
    ],
    ['keywords', `keywords=${words(100, (at) => `k${at}`)}&keywords_type=nowords`],
    ['groups without words', chart('content', 'notmatches', `nothing -(${'()'.repeat(3_000)})`)],
    ['nested groups', chart('content', 'notmatches', `nothing ${'-('.repeat(19)}x${')'.repeat(19)}`)],
  ],
  'GET /rest/bugless/bug.xml': [
    ['files of one bug, often', `field=attachmentdata&id=${words(100, () => String(HEAVY.first), ',')}`],
    ['files of bugs', `field=attachmentdata&id=${heavy.join()}`],
    ['comments of 100 bugs', `id=${times(100, (at) => at + 1).join()}`],
  ],
  'GET /rest/bug/{id_or_alias}': [
    ['bugs with long texts', list('ids', (at) => String(LONG.first + at))],
    ['many on CC', `ids=${CROWDED}`],
  ],
  'GET /rest/bug/{id_or_alias}/history': [
    ['99 bugs', times(99, (at) => `ids=${at + 1}`).join('&')],
    ['12 bugs with long changes', heavy.map((bug) => `ids=${bug}`).join('&')],
  ],
  'GET /rest/bug/{id_or_alias}/attachment': [
    ['12 bugs with flagged attachments', heavy.map((bug) => `ids=${bug}&exclude_fields=data`).join('&')],
  ],
  'GET /rest/user': [
    ['match', list('match', (at) => `person${at}`)],
    ['match of all', 'match=*'],
    ['an id, often', list('ids', () => '1')],
    ['groups', list('groups', (at) => `g${at}`)],
    ['members of a group', `groups=${TEAM}`],
  ],
  'GET /rest/product': [['all products', 'type=accessible&type=selectable&type=enterable']],
  'GET /rest/bug/{id_or_alias}/comment': [
    ['comments', list('comment_ids', (at) => String(at * 10))],
    [
      'the newest of one bug, often',
      `limit=1&order=newest&${list('ids', (at) => `${'0'.repeat(at % 40)}${LARGE.bug}`)}`,
    ],
  ],
  'POST /rest/bug': [
    [
      '2,000 words, 90 users',
      '',
      { ...NEW, description: manyWords('w'), cc: times(90, (at) => `person${at}@example.org`) },
    ],
    ['names of no user', '', { ...NEW, cc: many('p'), keywords: many('k'), alias: many('x') }],
  ],
  'PUT /rest/bug/{id_or_alias}': [
    ['50 bugs', '', { ids: numbers(49), comment: { body: manyWords('x') } }],
    ['16 bugs, 1,990 words', '', { ids: numbers(15), comment: { body: manyWords('z', 1_990) } }],
    ['9,000 names', '', { blocks: { remove: numbers(9_000) } }],
    ['9,000 bugs', '', { ids: numbers(9_000), whiteboard: 'w' }],
  ],
  'POST /rest/bug/{id_or_alias}/comment': [['9,000 words', '', { comment: manyWords('y') }]],
  'POST /rest/bug/{id_or_alias}/attachment': [
    ['1 MB', '', { ...FILE, data: 'A'.repeat(1_360_000) }],
    ['500 bugs', '', { ...FILE, ids: numbers(500), data: 'AAAA' }],
  ],
  'POST /rest/bug_user_last_visit/{id}': [['ids', '', { ids: numbers(5_000) }]],
  'PUT /rest/bug/comment/{comment_id}/tags': [['5,000 tags', '', { add: times(5_000, (at) => `tag-${at}`) }]],
};

const PATHS: Readonly<Record<string, string | number>> = {
  id_or_alias: LARGE.bug,
  id: LARGE.bug,
  attachment_id: LARGE.attachment,
  comment_id: 10,
  id_or_name: 1,
  'id_or_name+': LARGE.product,
  name: 'component',
  product_id: 1,
  query: 'a',
  file: 'swagger-ui.css',
};
const targetOf = (path: string): string =>
  (path === '$default' ? '/nothing/here' : path).replace(/\{([^}]+)\}/g, (_, name) =>
    String(PATHS[name] ?? 1),
  );

/** The worst requests of every route, by the table of the routes. What is public costs a user as much as anybody. */
function requests(): [name: string, request: BenchRequest, isPublic: boolean][] {
  return endpointGroups.flatMap(({ routes }) =>
    routes.flatMap(({ method: declared, path, authPolicy }) => {
      const method = declared === 'ANY' ? 'GET' : declared;
      const known = WORST[`${method} ${path}`] ?? [];
      return [...ANY_ROUTE, ...known].map(([what, query, body]): [string, BenchRequest, boolean] => {
        const separator = query === '' ? '' : '?';
        const request = { method, target: `${targetOf(path)}${separator}${query}` };
        const isRead = method === 'GET';
        const whole = isRead ? request : { ...request, body: body ?? {} };
        return [
          `${method} ${path}: ${what}`,
          whole,
          isRead && (authPolicy === 'public' || authPolicy === 'none') && !what.startsWith('members'),
        ];
      });
    }),
  );
}

type Row = Record<'request' | 'caller' | 'status', string> & Record<keyof typeof BOUNDS | 'KB', number>;
const isOver = (row: Row) =>
  Object.entries(BOUNDS).some(([name, bound]) => Number(row[name as keyof Row]) > bound);

/**
 * The worst requests that are known of every route, by anonymous callers and by a user without further rights, on warm
 * function instances: written to `worst.md`. `--to` is the number of bugs.
 */
export async function worst(bugs = DEFAULT_BUGS): Promise<void> {
  process.env['MAX_ATTACHMENT_BYTES'] = '4000000';
  const ground = await openGround(parseNumbered(largeCatalogue()));
  await fill(ground.table, bugs, bugs);
  await addLongBugs(ground.table);
  const measure = await openMeasuring(ground);
  const rows: Row[] = [];
  await measure({ method: 'GET', target: '/rest/bug?summary=qzq' });
  for (const [name, request, isPublic] of requests()) {
    for (const [caller, key] of isPublic ? CALLERS.slice(0, 1) : CALLERS) {
      console.error(`${name} (${caller})`);
      const { result, cost, cpu } = await measure({ ...request, key });
      rows.push({
        ...{ request: name, caller, status: String(result.statusCode), calls: cost.calls },
        'read units': Math.ceil(cost.readUnits),
        'write units': Math.ceil(cost.writeUnits),
        'CPU ms': Math.round(cpu),
        KB: Math.round(cost.bytes / 1_024),
      });
    }
  }
  await ground.stop();
  const shown = rows.filter(
    (row) => row['CPU ms'] > 100 || row.calls > 50 || row['read units'] > 50 || isOver(row),
  );
  printTable(`The worst requests of ${rows.length}, with ${bugs} bugs`, shown);
  await writeFile(join(RESULTS, 'worst.md'), report(rows, shown, bugs));
  for (const { request, caller } of rows.filter(isOver))
    console.error(`Over a bound: ${request} (${caller})`);
}

function report(rows: readonly Row[], shown: readonly Row[], bugs: number): string {
  const bounds = Object.entries(BOUNDS).map(([name, bound]) => `${bound.toLocaleString('en')} ${name}`);
  return `${[
    '# The worst requests',
    `\`npm run bench -- worst\` writes this page: what the worst known requests of each route take of a table with
${bugs.toLocaleString('en')} bugs, on warm function instances, by anonymous callers and by a user without further rights. Bounds: ${bounds.join(', ')}.
Of ${rows.length} requests those are shown that take more than 100 ms of CPU, 50 calls or 50 read units. The first search of a
function instance also reads the search index: a unit for 200 bugs.`,
    markdownTable(shown),
  ].join('\n\n')}\n`;
}

/** Copies a bug of the large product with long texts, one with many people on CC, and some with notes. */
async function addLongBugs(table: Table): Promise<void> {
  const bug = bugItem.parse(await readItem(table, bugKey(LARGE.bug), bugItem));
  const copies = [
    ...times(LONG.bugs, (n) => ({
      ...{ id: LONG.first + n, whiteboard: `x ${n}${'x'.repeat(LONG.text)}`, url: 'y'.repeat(LONG.text) },
    })),
    ...times(NOTED.bugs, (n) => ({
      ...{ id: NOTED.first + n, product_id: 901, component_id: 20_000, whiteboard: 'w'.repeat(NOTED.text) },
    })),
    { id: CROWDED, cc: times(4_000, (n) => `person${n}@example.org`).sort() },
  ];
  for (const some of portions(copies, { max: 20 })) {
    await batchWrite(
      table,
      some.flatMap((fields) => {
        const copy = { ...bug, aliases: [], ...fields };
        const { key, content } = changeEntry(copy);
        return [
          { ...bugKey(copy.id), ...copy },
          { ...key, ...content },
        ];
      }),
    );
  }
  const index = openBugIndex(table, bugRepository(table, table.now), table.now, true);
  await index.complete(0);
}

/** A bug with changes of the longest texts; the first of them also has as many attachments with flags as one may have. */
function heavyBug(id: number, index: number): object {
  const time = '2020-01-01T00:00:00Z';
  const flag = (n: number) => ({
    ...{ id: n, type_id: 1, name: 'review', status: '?', setter: LOGIN },
    ...{ creation_date: time, modification_date: time },
  });
  const attachment = (n: number) => ({
    ...{ id: 100 + n, file_name: `file-${n}`, summary: 's', content_type: 'text/plain', creator: LOGIN },
    ...{ creation_time: time, last_change_time: time, data: 'YQ==' },
    flags: times(100, (at) => flag(1 + n * 100 + at)),
  });
  const changes = [{ field_name: 'whiteboard', removed: 'w'.repeat(65_000), added: 'v'.repeat(65_000) }];
  return {
    ...{ id, product: LARGE.product, component: 'Part 1', version: 'Part 1', summary: 'Heavy' },
    ...{
      reporter: LOGIN,
      status: 'CONFIRMED',
      attachments: index === 0 ? times(HEAVY.files, attachment) : [],
    },
    comments: [{ id: 9_100_000 + index, text: 'Heavy', creator: LOGIN, creation_time: time }],
    history: times(14, () => ({ when: time, who: LOGIN, changes })),
  };
}

/** A product and a bug with very much of everything, and a user. */
function largeCatalogue(): object {
  const time = (at: number) => new Date(Date.UTC(2020, 0, 1) + at * 60_000).toISOString().replace('.000', '');
  const comment = (at: number) => ({
    ...{ id: 9_000_000 + at, text: `${'x'.repeat(2_000)} ${at}`, creator: LOGIN, creation_time: time(at) },
    tags: [`tag-${at % 100}a`],
  });
  const changed = (at: number) => ({
    ...{ when: time(at), who: LOGIN },
    changes: [{ field_name: 'whiteboard', removed: 'w'.repeat(500), added: 'v'.repeat(500) }],
  });
  const part = (at: number) => ({ id: 10_000 + at, name: `Part ${at}` });
  return {
    groups: [{ name: 'taggers', description: 'd' }, { name: TEAM }],
    users: [
      { id: 9_000, login: LOGIN, api_keys: [{ key: PLAIN }], groups: ['taggers', TEAM] },
      ...times(4_100, (at) => ({
        id: 10_000 + at,
        login: `person${at}@example.org`,
        real_name: `Person ${at}`,
        groups: [TEAM],
      })),
    ],
    products: [
      {
        ...{ id: 900, name: LARGE.product, description: 'd' },
        components: times(500, (at) => ({ ...part(at), description: 'd'.repeat(200) })),
        versions: times(500, part),
        milestones: times(500, part),
        flag_types: [{ id: 1, name: 'review', target: 'attachment' }],
      },
      {
        ...{ id: 901, name: NOTED.product, description: 'd' },
        components: [{ id: 20_000, name: 'Notes', description: 'd' }],
        versions: [{ id: 20_000, name: 'Part 1' }],
      },
    ],
    bugs: [
      {
        ...{
          id: LARGE.bug,
          product: LARGE.product,
          component: 'Part 1',
          version: 'Part 1',
          summary: 'Large',
        },
        ...{ reporter: LOGIN, assigned_to: LOGIN, status: 'CONFIRMED' },
        comments: times(1_000, comment),
        history: times(1_000, changed),
      },
      ...heavy.map(heavyBug),
    ],
  };
}
