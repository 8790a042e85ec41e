import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import type { LocalEndpoint } from '../../infra/local/database/server-process.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { formatKey } from '../../lib/table/keys.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';

const proxies: LocalEndpoint[] = [];
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));

async function tablePermitting(actions: string[], ...statements: string[][]): Promise<Table> {
  const { name } = await newTable();
  const all = actions.map((action) => `dynamodb:${action}`);
  const permitted = [
    { actions: ['dynamodb:GetItem'], partitions: [formatKey.pk] },
    ...statements.map((partitions) => ({ actions: all, partitions })),
  ];
  const proxy = await startIamProxy(dynamoDbEndpoint(), permitted);
  proxies.push(proxy);
  return openTable(name, proxy.endpoint);
}

const keyOf = (pk: string, sk = 's') => ({ pk: { S: pk }, sk: { S: sk } });
const key = keyOf('a', 'b');

describe('the proxy before DynamoDB', () => {
  it('forwards permitted calls', async () => {
    const { name, client } = await tablePermitting(['GetItem', 'PutItem'], ['*']);
    await client.send(new PutItemCommand({ TableName: name, Item: key }));
    const { Item } = await client.send(new GetItemCommand({ TableName: name, Key: key }));
    expect(Item).toEqual(key);
  });

  it('refuses other calls as IAM does', async () => {
    const { name, client } = await tablePermitting(['GetItem'], ['*']);
    await expect(client.send(new ScanCommand({ TableName: name }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('dynamodb:Scan'),
    });
  });

  it('checks every action of a transaction', async () => {
    const { name, client } = await tablePermitting(['PutItem', 'GetItem'], ['*']);
    const put = { Put: { TableName: name, Item: keyOf('c', 'd') } };
    const remove = { Delete: { TableName: name, Key: key } };
    await client.send(new TransactWriteItemsCommand({ TransactItems: [put] }));
    await expect(
      client.send(new TransactWriteItemsCommand({ TransactItems: [put, remove] })),
    ).rejects.toMatchObject({ message: expect.stringContaining('dynamodb:DeleteItem') });
  });

  it('compares each statement with all keys of a transaction', async () => {
    const [together, apart] = [
      await tablePermitting(['PutItem'], ['BUG#*', 'TAG#*']),
      await tablePermitting(['PutItem'], ['BUG#*'], ['TAG#*']),
    ];
    const put = ({ name, client }: Table, keys: string[]) => {
      const puts = keys.map((pk) => ({ Put: { TableName: name, Item: keyOf(pk) } }));
      return client.send(new TransactWriteItemsCommand({ TransactItems: puts }));
    };
    await put(together, ['BUG#1', 'TAG#a']);
    await put(apart, ['BUG#1', 'BUG#2']);
    await expect(put(apart, ['BUG#1', 'TAG#a'])).rejects.toThrow('not authorized');
  });

  it('refuses other partitions than those of the policy', async () => {
    const { name, client } = await tablePermitting(
      ['GetItem', 'BatchGetItem', 'Query', 'PutItem'],
      ['BUG#*', 'CATALOGUE'],
    );
    const get = (pk: string) => client.send(new GetItemCommand({ TableName: name, Key: keyOf(pk) }));
    const query = (pk: string) =>
      client.send(
        new QueryCommand({
          TableName: name,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: pk } },
        }),
      );
    const batch = (...all: string[]) =>
      client.send(
        new BatchGetItemCommand({ RequestItems: { [name]: { Keys: all.map((pk) => keyOf(pk)) } } }),
      );
    const put = (pk: string) =>
      client.send(
        new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: name, Item: keyOf(pk) } }] }),
      );
    await Promise.all([get('BUG#1'), query('CATALOGUE'), batch('BUG#1', 'BUG#2'), put('BUG#1')]);
    for (const refused of [get('USER#a'), query('CATALOGUE2'), batch('BUG#1', 'APIKEY#x'), put('USER#a')]) {
      await expect(refused).rejects.toThrow('not authorized');
    }
  });
});
