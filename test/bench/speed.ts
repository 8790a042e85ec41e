import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/table/client.ts';
import { productKey } from '../../lib/table/keys.ts';
import { quartile } from './cold-start.ts';
import { type BenchRequest, get, openGround, openHandlers, PROJECT, post, put, USER } from './environment.ts';
import { printTable, rounded } from './print.ts';

/** Requests of one kind follow each other in blocks; the blocks take turns. */
const BLOCK = 25;
const ROUNDS = 16;
/** Rounds that are not measured: V8 compiles the code. */
const WARM_UP = 12;
/** Processes of each checkout, one after another: two of the same code differ by up to 7 %, by what V8 compiles when. */
const PROCESSES = 5;
const PRODUCTS = 50;
const BUGS = 20;
const OPEN_BUGS = 1_000;
const COMMENTS = 100;

const SDK = 'GetItem of the SDK as it comes';
const TABLE = 'GetItem of the opened table';
const [HERE, BESIDE] = ['here: ', 'beside: '];

/** A name, the request when it is made for the nth time, and how many follow each other. */
type Row = [string, (n: number) => BenchRequest, block?: number];

const ANONYMOUS = 'product by id, anonymous';
const bug = (n: number) => `/rest/bug/${n}`;
const LARGE = randomBytes(1_000_000).toString('base64');
const SMALL = randomBytes(10_000).toString('base64');
const attachment = (data: string) => () => ({
  ...{ file_name: 'f', summary: 's', content_type: 'application/octet-stream' },
  data,
});

const rows: Row[] = [
  ['version: no database access', get('/rest/version')],
  [ANONYMOUS, get('/rest/product/2')],
  ['product by id', get('/rest/product/2')],
  [`${PRODUCTS} whole products`, get('/rest/product?type=accessible'), 5],
  [`id and name of ${PRODUCTS} products`, get('/rest/product?type=accessible&include_fields=id,name')],
  [`ids of ${PRODUCTS} products`, get('/rest/product_accessible')],
  ['comment by id', get('/rest/bug/comment/10')],
  [`${COMMENTS} comments of a bug`, get(`${bug(2)}/comment`), 10],
  ['bug by id', get(bug(2))],
  ['10 tags of 1,000 that contain a text', get('/rest/bug/comment/tags/needle')],
  ['read an attachment of 10 KB', get('/rest/bug/attachment/1')],
  ['search: ids of 50 bugs', get('/rest/bug?product=Product%203&limit=50&include_fields=id')],
  [
    'search: id and summary of 50 bugs',
    get('/rest/bug?product=Product%203&limit=50&include_fields=id,summary'),
  ],
  [
    `search: id and summary of ${OPEN_BUGS} bugs`,
    get('/rest/bug?product=Product%203&include_fields=id,summary'),
    2,
  ],
  [`search: ${OPEN_BUGS} whole bugs`, get('/rest/bug?product=Product%203'), 1],
  ['create comment', post(`${bug(BUGS)}/comment`, () => ({ comment: 'text' })), 10],
  ['change a bug', put(bug(1), (n) => ({ whiteboard: `w ${n}` })), 10],
  ['set a flag', put(bug(3), (n) => ({ flags: [{ name: 'flag', status: n % 2 === 0 ? '+' : '-' }] })), 10],
  ['attach 10 KB', (n) => post(`${bug(7 + (n % 10))}/attachment`, attachment(SMALL))(n), 10],
  ['attach 1 MB', post(`${bug(5)}/attachment`, attachment(LARGE)), 1],
  [
    'create a bug',
    post('/rest/bug', (n) => ({
      ...{ product: 'Product 4', component: 'Component 1', version: '1.0' },
      ...{ summary: `Bug ${n}`, description: 'text' },
    })),
    10,
  ],
];
/** What a process measures: a number of requests of a row, made for the nth time and further; or a plain call of the SDK. */
interface Block {
  row: string;
  from: number;
  count: number;
}

const measured = z.object({ cpu: z.number(), statuses: z.array(z.int()) });

type Variant = typeof HERE | typeof BESIDE;

/**
 * CPU time of handlers, compared with a plain GetItem of the SDK in the same process: the machine's speed varies, their
 * ratio does not. Each checkout has processes of its own: in a shared one V8 compiles what both use for both.
 *
 * @param beside folder of another checkout, whose handlers are measured on the same table, taking turns
 */
export async function speed(beside?: string): Promise<void> {
  const ground = await openGround(catalogue());
  const { name } = ground.table;
  const { endpoint } = ground;
  const { invoke } = await openHandlers(name, endpoint);
  await invoke({ ...post(`${bug(6)}/attachment`, attachment(SMALL))(1), key: USER });
  const folders: [Variant, string][] = [[HERE, PROJECT]];
  if (beside !== undefined) folders.push([BESIDE, resolve(beside)]);

  /** The lower quartile of each process. */
  const quartiles = new Map<string, number[]>();
  const statuses = new Map<string, Set<number>>();
  let requests = 0;
  for (let pair = 0; pair < PROCESSES; pair += 1) {
    const children = await Promise.all(
      folders.map(async ([variant, folder]) => ({ variant, child: await start([name, endpoint, folder]) })),
    );
    const samples = new Map<string, number[]>();
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      if (round === WARM_UP) samples.clear();
      for (const [row, , count = BLOCK] of [[SDK] as const, [TABLE] as const, ...rows]) {
        for (const { variant, child } of round % 2 === 0 ? children : children.toReversed()) {
          const { cpu, statuses: seen } = await measure(child, { row, from: requests + 1, count });
          requests += count;
          const sample = variant + row;
          samples.set(sample, [...(samples.get(sample) ?? []), cpu]);
          statuses.set(sample, new Set([...(statuses.get(sample) ?? []), ...seen]));
        }
      }
    }
    for (const { child } of children) child.kill();
    for (const [sample, cpus] of samples)
      quartiles.set(sample, [...(quartiles.get(sample) ?? []), quartile(cpus)]);
  }
  for (const [row] of beside === undefined ? [] : rows) {
    const [here, there] = [HERE, BESIDE].map((variant) =>
      [...(statuses.get(variant + row) ?? [])].sort().join(),
    );
    if (here !== there) throw new Error(`${row}: responses with ${here} here, ${there} beside`);
  }
  const cpuOf = (sample: string) => median(quartiles.get(sample) ?? []);
  const titled = (row: string, cpu: number) => ({
    ...{ row, CPU: rounded(cpu), 'times GetItem': rounded(cpu / cpuOf(HERE + SDK)) },
  });
  printTable(
    `CPU of a process in milliseconds (lower quartile, median of ${PROCESSES}), with an API key unless they are anonymous`,
    [SDK, TABLE, ...rows.map(([row]) => row)].map((row) => {
      const cpu = cpuOf(HERE + row);
      if (beside === undefined) return titled(row, cpu);
      const before = cpuOf(BESIDE + row);
      return { ...titled(row, cpu), beside: rounded(before), ratio: rounded(cpu / before) };
    }),
  );
  await ground.stop();
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Starts the process of a checkout, which measures what it is asked for. */
async function start(parameters: string[]): Promise<ChildProcess> {
  const child = fork(import.meta.filename, parameters, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, REQUEST_LOG: 'json' },
  });
  await once(child, 'message');
  return child;
}

async function measure(child: ChildProcess, block: Block) {
  child.send(block);
  const [answer]: unknown[] = await once(child, 'message');
  return measured.parse(answer);
}

/** Measures blocks of requests with the handlers of a checkout, for the process that asks. */
async function measureFor(send: (answer: object) => void, [name = '', endpoint = '', folder = '']: string[]) {
  const { invocationOf } = await openHandlers(name, endpoint, folder);
  const { client } = openTable(name, endpoint);
  const plain = new DynamoDBClient({ endpoint });
  const { pk, sk } = productKey(2);
  const bareKey = { TableName: name, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true };
  const calls = new Map<string, () => Promise<unknown>>([
    [SDK, () => plain.send(new GetItemCommand(bareKey))],
    [TABLE, () => client.send(new GetCommand({ ...bareKey, Key: { pk, sk } }))],
  ]);
  const requestsOf = new Map(rows.map(([row, make]) => [row, make]));
  // The gateway creates the events, so this is not measured.
  const workOf = ({ row, from }: Block, at: number): (() => Promise<unknown>) => {
    const call = calls.get(row);
    if (call !== undefined) return call;
    const request = requestsOf.get(row)?.(from + at);
    if (request === undefined) throw new Error(`No row ${row}`);
    const { handler, event, context } = invocationOf(row === ANONYMOUS ? request : { ...request, key: USER });
    return () => handler(event, context);
  };
  process.on('message', async (block: Block) => {
    const works = Array.from({ length: block.count }, (_, at) => workOf(block, at));
    const responses: unknown[] = [];
    const before = process.cpuUsage();
    for (const work of works) responses.push(await work());
    const { user, system } = process.cpuUsage(before);
    const statuses = new Set(
      responses.flatMap((response) => answered.safeParse(response).data?.statusCode ?? []),
    );
    send({ cpu: (user + system) / 1_000 / block.count, statuses: [...statuses] });
  });
  send({});
}

const answered = z.object({ statusCode: z.number() });

const repeated = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));

/** Products with ten components each, and bugs with a hundred comments, which have a thousand tags. */
function catalogue() {
  const login = 'user@example.com';
  const groups = ['taggers', 'editcomponents', 'insiders', 'editbugs'];
  const bugFields = { component: 'Component 1', reporter: login, assigned_to: login };
  return parseCatalogue({
    groups: groups.map((name) => ({ name })),
    users: [{ login, groups, api_keys: [{ key: USER }] }],
    products: repeated(PRODUCTS, (id) => ({
      id,
      name: `Product ${id}`,
      description: 'Measures what the handlers take',
      components: repeated(10, (n) => ({ name: `Component ${n}`, default_assigned_to: login })),
      versions: repeated(5, (n) => ({ name: `${n}.0` })),
      milestones: repeated(5, (n) => ({ name: `M${n}` })),
      flag_types: [{ name: 'flag', description: 'd', target: 'bug' }],
    })),
    bugs: [
      ...repeated(BUGS, (id) => ({
        ...bugFields,
        id,
        product: 'Product 2',
        summary: 'A bug like others',
        comments: repeated(COMMENTS, (n) => ({
          id: (id - 1) * COMMENTS + n,
          text: `This is the comment ${n}, and `.repeat(8).trim(),
          creator: login,
          creation_time: '2014-12-31T12:00:00Z',
          tags: id <= 10 ? [n === 1 ? `needle-${id}` : `tag-${id}-${n}`] : [],
        })),
      })),
      ...repeated(OPEN_BUGS, (n) => ({
        ...bugFields,
        id: BUGS + n,
        product: 'Product 3',
        summary: `A bug that is found, ${n}`,
        comments: [
          { id: BUGS * COMMENTS + n, text: 'text', creator: login, creation_time: '2014-12-31T12:00:00Z' },
        ],
      })),
    ],
  });
}

if (process.argv[1] === import.meta.filename && process.send !== undefined)
  await measureFor((answer) => process.send?.(answer), process.argv.slice(2));
