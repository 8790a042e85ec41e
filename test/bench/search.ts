import { timestamp } from '../../lib/base/time.ts';
import { type IndexedBug, indexedBugOf } from '../../lib/bugs/change-log/indexed-bug.ts';
import { commentItem } from '../../lib/bugs/comments/schema.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { type RangeEntry, searchIndexRepository } from '../../lib/search/index/repository.ts';
import { rangesOf } from '../../lib/search/index/write-segments.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey, commentKey, wordKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { randomNumbers } from '../support/random.ts';
import { openGround, openMeasuring, type Result } from './environment.ts';
import { printTable, rounded } from './print.ts';

const DEFAULT_BUGS = 50_000;
const PRODUCTS = 20;
const COMPONENTS = 5;
const OPEN_SHARE = 0.3;
const COMMENTS = 10;
const WORDS_OF_COMMENT = 30;
const ROUNDS = 5;
/** Of more bugs only what the search index has is written. */
const MAX_STORED = 250_000;
/** Bugs of a range of the search index. */
const ROWS = 4_000;
/** Words that are searched, with the share of the comments that have them. */
const WORDS: readonly [word: string, share: number][] = [
  ['crash', 0.02],
  ['regression', 0.002],
  ['zeppelin', 0.0001],
];

const HOUR_MS = 3_600_000;
/** When the first bug was created, and the last one changed: shortly before what is searched for as recent. */
const BEGIN = Date.UTC(2020, 0, 1);
const LAST = Date.now() - 2 * HOUR_MS;
const COLD: readonly [what: string, query: string][] = [
  [
    'cold: changed in the last hour',
    `last_change_time=${new Date(Date.now() - HOUR_MS).toISOString()}&include_fields=id`,
  ],
  ['cold: open bugs, no hit', 'status=CONFIRMED&summary=nothing&include_fields=id'],
  ['cold: all states, no hit', 'priority=Highest&summary=nothing&include_fields=id'],
];
const whole = 'include_fields=_default';
const SEARCHES: readonly [what: string, query: string][] = [
  ['field conditions, no hit', 'priority=Highest&summary=nothing&include_fields=id'],
  ['summary, no hit', 'summary=nothing&include_fields=id'],
  ['two fields', 'priority=High&bug_severity=critical&include_fields=id,summary'],
  ['creator by a part', 'creator=person7&include_fields=id'],
  ['cc by a part', 'cc=person7&include_fields=id'],
  ['1,000 open bugs, id and summary', 'status=CONFIRMED&limit=1000&include_fields=id,summary'],
  ['1,000 open bugs, whole', `status=CONFIRMED&limit=1000&${whole}`],
  ['1,000 bugs by id, whole', `id=${Array.from({ length: 1_000 }, (_, n) => n + 1)}&${whole}`],
  ['order by priority, limit 20, whole', `order=priority&limit=20&${whole}`],
  ['order by change, limit 20, whole', `order=changeddate%20DESC&limit=20&${whole}`],
  ['field conditions, limit 20, whole', `product=P3&status=CONFIRMED&limit=20&${whole}`],
  ...WORDS.map(([word]): [string, string] => [
    `quicksearch=${word} (open)`,
    `quicksearch=${word}&include_fields=id`,
  ]),
  ['quicksearch=ALL zeppelin', 'quicksearch=ALL%20zeppelin&include_fields=id'],
  ['content matches regression', 'f1=content&o1=matches&v1=regression&include_fields=id'],
  ['longdesc anywords zeppelin', 'f1=longdesc&o1=anywords&v1=zeppelin&include_fields=id'],
  ['commenter', 'f1=commenter&o1=equals&v1=rare%40example.org&include_fields=id'],
  ['count of open bugs', 'status=CONFIRMED&count_only=1'],
];

/**
 * Searches of a tracker with many bugs: a first one on a cold function instance, then warm. `--to` is the number of bugs.
 * Comments and postings are written as far as the searches read them.
 */
export async function search(bugs = DEFAULT_BUGS): Promise<void> {
  const ground = await openGround(parseCatalogue({}));
  await fill(ground.table, bugs);
  const rows: Record<string, string | number>[] = [];
  let measure = await openMeasuring(ground);
  for (const [what, query] of [...COLD, ...SEARCHES]) {
    const isCold = what.startsWith('cold');
    if (isCold) measure = await openMeasuring(ground);
    const request = { method: 'GET', target: `/rest/bug?${query}` };
    const { result, cost, cpu, ms } = await measure(request, isCold ? 1 : ROUNDS);
    rows.push({
      search: what,
      status: result.statusCode,
      hits: hitsOf(result),
      calls: cost.calls,
      'read units': Math.round(cost.readUnits),
      'CPU ms': Math.round(cpu),
      ms: Math.round(ms),
    });
  }
  await ground.stop();
  const { rss, arrayBuffers } = process.memoryUsage();
  const memory = `${rounded(rss / 1e6, 0)} MB RSS, of which ${rounded(arrayBuffers / 1e6, 0)} MB array buffers`;
  printTable(
    `Searches of ${bugs} bugs (${memory}, for several instances)`,
    rows.map((row) => ({ ...row })),
  );
}

function hitsOf({ body }: Result) {
  const { bugs, bug_count, message } = JSON.parse(body);
  return bugs?.length ?? bug_count ?? message;
}

/**
 * Fills a table with bugs.
 *
 * @param people how many are reporters, assignees and on CC; few of them often
 */
export async function fill(table: Table, bugs: number, people = 500): Promise<void> {
  const names = Array.from({ length: PRODUCTS }, (_, product) => `P${product}`);
  const products = names.map((name, product) => ({
    id: product + 1,
    name,
    components: Array.from({ length: COMPONENTS }, (_, component) => ({
      id: product * COMPONENTS + component + 1,
      name: `Component ${component}`,
    })),
    versions: [{ id: product + 1, name: '1.0' }],
  }));
  await applyCatalogue(table, parseCatalogue({ products }));
  const random = randomNumbers(7);
  const pick = <T>(values: readonly T[], otherwise: T): T =>
    values[Math.floor(random() * values.length)] ?? otherwise;
  const vocabulary = Array.from({ length: 5_000 }, (_, n) => `word${n.toString(36)}`);
  const person = () => `person${Math.floor(random() ** 2 * people)}@example.org`;
  let items: Item[] = [];
  const index = searchIndexRepository(table, () => new Date());
  const ranges: RangeEntry[] = [];
  let indexed: IndexedBug[] = [];
  for (let id = 1; id <= bugs; id += 1) {
    const product = id % PRODUCTS;
    const isOpen = random() < OPEN_SHARE;
    const day = (n: number) => timestamp(new Date(BEGIN + (n * (LAST - BEGIN)) / bugs));
    const bug = bugItem.parse({
      id,
      summary: Array.from({ length: 8 }, () => pick(vocabulary, 'word')).join(' '),
      product_id: product + 1,
      component_id: product * COMPONENTS + 1 + Math.floor(random() * COMPONENTS),
      version: '1.0',
      status: isOpen ? 'CONFIRMED' : 'RESOLVED',
      resolution: isOpen ? '' : 'FIXED',
      priority: pick(['Highest', 'High', 'Normal', 'Low', 'Lowest'], 'Normal'),
      severity: pick(['critical', 'major', 'normal', 'minor'], 'normal'),
      reporter: person(),
      assigned_to: person(),
      qa_contact: '',
      cc: Array.from({ length: Math.floor(random() * 3) }, person),
      aliases: [],
      groups: [],
      hours_worked: 0,
      creation_time: day(id - COMMENTS),
      last_change_time: day(id),
      last_comment_time: day(id),
      comment_count: COMMENTS,
      is_confirmed: true,
      revision: 1,
    });
    indexed.push(indexedBugOf(bug));
    if (indexed.length === ROWS || id === bugs) {
      ranges.push(
        ...(await rangesOf(ranges.length === 0 ? 0 : (indexed[0]?.id ?? 0), indexed, index.addSegment)),
      );
      indexed = [];
    }
    if (bugs > MAX_STORED) continue;
    items.push({ ...bugKey(id), ...bug });
    for (let count = 0; count < COMMENTS; count += 1) {
      const words = WORDS.flatMap(([word, share]) => (random() < share ? [word] : []));
      const isRare = id % 5_000 === 0 && count === 0;
      if (words.length === 0 && !isRare) continue;
      const text = [
        ...Array.from({ length: WORDS_OF_COMMENT }, () => pick(vocabulary, 'word')),
        ...words,
      ].join(' ');
      const comment = commentItem.parse({
        id: id * COMMENTS + count,
        bug_id: id,
        count,
        text,
        creator: isRare ? 'rare@example.org' : bug.reporter,
        creation_time: day(id - COMMENTS + count),
        is_private: false,
        attachment_id: null,
        work_time: 0,
        tags: [],
      });
      const key = commentKey(comment);
      const postings = [...words, ...(isRare ? ['@rare@example.org'] : [])];
      items.push({ ...key, ...comment });
      items.push(...postings.map((word) => ({ ...wordKey(word, id, false), bug_id: id, comment: key.sk })));
    }
    if (items.length < 5_000 && id < bugs) continue;
    await batchWrite(table, [...new Map(items.map((item) => [`${item.pk} ${item.sk}`, item])).values()]);
    items = [];
  }
  const since = timestamp(new Date(Date.now() - 60_000));
  await index.replaceManifest(await index.readManifest(), { since, ranges, recent: [] });
}
