import {
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { tableDefinition } from '../../../lib/dynamodb/table.ts';

/**
 * Creates the table unless it exists, with the keys that the stack gives it.
 *
 * @returns whether it was created
 */
export async function createTable(table: Table): Promise<boolean> {
  if (await exists(table)) return false;
  const { partitionKey, sortKey } = tableDefinition;
  await table.client.send(
    new CreateTableCommand({
      TableName: table.name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: partitionKey, AttributeType: 'S' },
        { AttributeName: sortKey, AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
  return true;
}

async function exists(table: Table): Promise<boolean> {
  try {
    await table.client.send(new DescribeTableCommand({ TableName: table.name }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}
