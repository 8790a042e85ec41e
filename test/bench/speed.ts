import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { lambdaContext } from '../../infra/local/gateway/lambda.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { productKey } from '../../lib/dynamodb/keys.ts';
import { type BenchRequest, openGround, openHandlers, percentiles, USER } from './environment.ts';
import { printTable, rounded } from './print.ts';

/** Requests of one kind follow each other in blocks; the blocks take turns. */
const BLOCK = 25;
const ROUNDS = 24;
const PRODUCTS = 50;
const BUGS = 20;
const COMMENTS = 100;

/**
 * Time and CPU time of handlers, compared with a plain GetItem of the SDK in the same process: the machine's speed
 * varies, their ratio does not.
 */
export async function speed(): Promise<void> {
  const ground = await openGround(catalogue());
  const { invocationOf } = await openHandlers(ground.table.name, ground.endpoint);
  const { pk, sk } = productKey(2);
  const { client } = openTable(ground.table.name, ground.endpoint);
  const bare = new GetItemCommand({
    TableName: ground.table.name,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ConsistentRead: true,
  });
  const call = (request: BenchRequest) => {
    // The gateway creates the event, so this is not measured.
    const { handler, event } = invocationOf(request);
    return () => handler(event, lambdaContext('bench'));
  };
  const asUser = (request: BenchRequest) => call({ ...request, key: USER });
  const get = (target: string) => asUser({ method: 'GET', target });
  const bug = (n: number) => `/rest/bug/${n}`;
  let changes = 0;
  const create = asUser({ method: 'POST', target: `${bug(BUGS)}/comment`, body: { comment: 'text' } });
  const cases: [string, () => Promise<unknown>][] = [
    ['GetItem of the SDK', () => client.send(bare)],
    ['version: no database access', get('/rest/version')],
    ['product by id, anonymous', call({ method: 'GET', target: '/rest/product/2' })],
    ['product by id', get('/rest/product/2')],
    [`${PRODUCTS} whole products`, get('/rest/product?type=accessible')],
    [`ids of ${PRODUCTS} products`, get('/rest/product_accessible')],
    ['comment by id', get('/rest/bug/comment/10')],
    [`${COMMENTS} comments of a bug`, get(`${bug(2)}/comment`)],
    ['bug by id', get(bug(2))],
    ['10 tags of 1,000 that contain a text', get('/rest/bug/comment/tags/needle')],
    ['create comment', create],
    [
      'change a bug',
      () => asUser({ method: 'PUT', target: bug(1), body: { whiteboard: `w ${++changes}` } })(),
    ],
  ];
  const samples = new Map(cases.map(([name]) => [name, { times: [] as number[], cpu: 0 }]));
  for (let round = -ROUNDS / 3; round < ROUNDS; round += 1) {
    for (const [name, work] of cases) {
      const sample = samples.get(name);
      const cpuBefore = process.cpuUsage();
      for (let n = 0; n < BLOCK; n += 1) {
        const before = performance.now();
        await work();
        if (round >= 0) sample?.times.push(performance.now() - before);
      }
      const { user, system } = process.cpuUsage(cpuBefore);
      if (round >= 0 && sample !== undefined) sample.cpu += (user + system) / 1_000 / ROUNDS / BLOCK;
    }
  }
  const medianOf = (name: string) => percentiles(samples.get(name)?.times ?? []).median;
  const cpuOf = (name: string) => samples.get(name)?.cpu ?? 0;
  const [base] = cases.map(([name]) => ({ median: medianOf(name), cpu: cpuOf(name) }));
  printTable(
    'Handlers beside a GetItem in the same process, with an API key unless they are anonymous (milliseconds)',
    cases.map(([name]) => ({
      name,
      median: rounded(medianOf(name)),
      'times GetItem': rounded(medianOf(name) / (base?.median ?? 0)),
      CPU: rounded(cpuOf(name)),
      'CPU times GetItem': rounded(cpuOf(name) / (base?.cpu ?? 0)),
    })),
  );
  await ground.stop();
}

/** Products with ten components each, and bugs with a hundred comments, which have a thousand tags. */
function catalogue() {
  const list = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at + 1));
  const login = 'user@example.com';
  const groups = ['taggers', 'editcomponents', 'insiders', 'editbugs'];
  return parseCatalogue({
    groups: groups.map((name) => ({ name })),
    users: [{ login, groups, api_keys: [{ key: USER }] }],
    products: list(PRODUCTS, (id) => ({
      id,
      name: `Product ${id}`,
      description: 'Measures what the handlers take',
      components: list(10, (n) => ({ name: `Component ${n}`, default_assigned_to: login })),
      versions: list(5, (n) => ({ name: `${n}.0` })),
      milestones: list(5, (n) => ({ name: `M${n}` })),
    })),
    bugs: list(BUGS, (id) => ({
      id,
      product: 'Product 2',
      component: 'Component 1',
      summary: 'A bug like others',
      reporter: login,
      assigned_to: login,
      comments: list(COMMENTS, (n) => ({
        id: (id - 1) * COMMENTS + n,
        text: `This is the comment ${n}, and `.repeat(8).trim(),
        creator: login,
        creation_time: '2014-12-31T12:00:00Z',
        tags: id <= 10 ? [n === 1 ? `needle-${id}` : `tag-${id}-${n}`] : [],
      })),
    })),
  });
}
