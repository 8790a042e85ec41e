import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { type Invoke, openGround, openHandlers, USER } from './environment.ts';
import { printTable, rounded } from './print.ts';

const BUGS = 64;
const AT_ONCE = 32;
const SECONDS = 5;

/** Throughput of one process: comments on one bug and on many, compared with plain DynamoDB calls. */
export async function throughput(): Promise<void> {
  const ground = await openGround(manyBugs());
  const { invoke } = await openHandlers(ground.table.name, ground.endpoint);
  const { client } = openTable(ground.table.name, ground.endpoint);
  const bare = () =>
    client.send(
      new PutCommand({
        TableName: ground.table.name,
        Item: { pk: randomUUID(), sk: 'BENCH', text: 'a comment' },
      }),
    );
  const cases: [string, () => Promise<unknown>][] = [
    ['no database: version', () => answered(invoke, 'GET', '/rest/version')],
    ['bare SDK PutItem', bare],
    ['product by id', () => answered(invoke, 'GET', '/rest/product/1')],
    ['comment into one bug', () => answered(invoke, 'POST', '/rest/bug/1/comment')],
    [
      'comment into many bugs',
      () => answered(invoke, 'POST', `/rest/bug/${1 + Math.floor(Math.random() * BUGS)}/comment`),
    ],
  ];
  const rows = [];
  for (const [name, work] of cases) rows.push({ name, 'a second': rounded(await rateOf(work), 0) });
  printTable(`Throughput of one process, ${AT_ONCE} at once, for ${SECONDS} seconds each`, rows);
  await ground.stop();
}

async function answered(invoke: Invoke, method: string, target: string): Promise<void> {
  const body = method === 'POST' ? { comment: 'a comment' } : undefined;
  const { statusCode, body: text } = await invoke({ method, target, key: USER, body });
  if (statusCode >= 300) throw new Error(`${method} ${target}: ${statusCode} ${text}`);
}

async function rateOf(work: () => Promise<unknown>): Promise<number> {
  for (let warmup = 0; warmup < AT_ONCE; warmup += 1) await work();
  const startedAt = performance.now();
  const ends = startedAt + SECONDS * 1_000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < ends) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (done * 1_000) / (performance.now() - startedAt);
}

function manyBugs() {
  const login = 'user@example.com';
  const comment = { text: 'It startedAt', creator: login, creation_time: '2024-01-01T00:00:00Z' };
  const bug = { product: 'P', component: 'C', summary: 's', reporter: login, comments: [comment] };
  return parseCatalogue({
    users: [{ login, api_keys: [{ key: USER }] }],
    products: [{ name: 'P', components: [{ name: 'C' }], versions: [{ name: '1' }] }],
    bugs: Array.from({ length: BUGS }, (_, at) => ({ ...bug, id: at + 1 })),
  });
}
