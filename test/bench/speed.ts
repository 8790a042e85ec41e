import { GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { lambdaContext } from '../../infra/local/gateway/lambda.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { productKey } from '../../lib/dynamodb/keys.ts';
import { type BenchRequest, openGround, openHandlers, USER } from './environment.ts';
import { printTable, rounded } from './print.ts';

const ROUNDS = 1_500;

/** Latency of handlers, compared with a plain GetItem of the SDK and a handler without database access. */
export async function speed(): Promise<void> {
  const ground = await openGround();
  const { invocationOf } = await openHandlers(ground.table.name, ground.endpoint);
  const { pk, sk } = productKey(2);
  const { client } = openTable(ground.table.name, ground.endpoint);
  const bare = new GetItemCommand({
    TableName: ground.table.name,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ConsistentRead: true,
  });
  const bareQuery = new QueryCommand({
    TableName: ground.table.name,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  });
  const call = (asked: BenchRequest) => {
    // The gateway creates the event, so this is not measured.
    const { handler, event } = invocationOf(asked);
    return () => handler(event, lambdaContext('bench'));
  };
  const cases: [string, () => Promise<unknown>][] = [
    ['bare SDK GetItem', () => client.send(bare)],
    ['bare SDK Query of a whole product', () => client.send(bareQuery)],
    ['no database: version', call({ method: 'GET', target: '/rest/version' })],
    ['product by id, anonymous', call({ method: 'GET', target: '/rest/product/2' })],
    [
      'product by id, id and name, anonymous',
      call({ method: 'GET', target: '/rest/product/2?include_fields=id,name' }),
    ],
    ['product by id, user', call({ method: 'GET', target: '/rest/product/2', key: USER })],
    ['ids of accessible products', call({ method: 'GET', target: '/rest/product_accessible' })],
    ['comment by id', call({ method: 'GET', target: '/rest/bug/comment/10' })],
    ['comments of a bug of 100', call({ method: 'GET', target: '/rest/bug/8/comment' })],
  ];
  const times = new Map(cases.map(([name]) => [name, [] as number[]]));
  // Interleaved, so that a slow moment of the machine affects all of them.
  for (let round = -ROUNDS / 3; round < ROUNDS; round += 1) {
    for (const [name, work] of cases) {
      const before = performance.now();
      await work();
      if (round >= 0) times.get(name)?.push(performance.now() - before);
    }
  }
  const median = (name: string) => times.get(name)?.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
  const base = median('bare SDK GetItem');
  printTable(
    'Time of a handler beside a bare GetItem in the same process (milliseconds, median)',
    cases.map(([name]) => ({
      name,
      median: rounded(median(name), 3),
      'times GetItem': rounded(median(name) / base),
    })),
  );
  await ground.stop();
}
