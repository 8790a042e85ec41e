import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type PermittingProxy, startPermittingProxy } from '../../infra/local/permitting-proxy.ts';
import { openTable, type Table } from '../../lib/db/client.ts';
import { newTable } from '../support/bugless.ts';

let proxy: PermittingProxy | undefined;
afterEach(() => proxy?.stop());

async function tablePermitting(...actions: string[]): Promise<Table> {
  const { name } = await newTable();
  const permitted = new Set(actions.map((action) => `dynamodb:${action}`));
  proxy = await startPermittingProxy(inject('dynamoDbEndpoint'), permitted);
  return openTable(name, proxy.endpoint);
}

const key = { pk: 'a', sk: 'b' };

describe('the proxy before DynamoDB', () => {
  it('lets through what is permitted', async () => {
    const { name, client } = await tablePermitting('GetItem', 'PutItem');
    await client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: 'a' }, sk: { S: 'b' } } }));
    const { Item } = await client.send(new GetCommand({ TableName: name, Key: key }));
    expect(Item).toEqual(key);
  });

  it('refuses what is not, as IAM does', async () => {
    const { name, client } = await tablePermitting('GetItem');
    await expect(client.send(new ScanCommand({ TableName: name }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('dynamodb:Scan'),
    });
  });

  it('asks of a transaction for each of its parts', async () => {
    const { name, client } = await tablePermitting('PutItem', 'GetItem');
    const put = { Put: { TableName: name, Item: { pk: 'c', sk: 'd' } } };
    const remove = { Delete: { TableName: name, Key: key } };
    await client.send(new TransactWriteCommand({ TransactItems: [put] }));
    await expect(
      client.send(new TransactWriteCommand({ TransactItems: [put, remove] })),
    ).rejects.toMatchObject({ message: expect.stringContaining('dynamodb:DeleteItem') });
  });
});
