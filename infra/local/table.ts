import {
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../../lib/db/client.ts';
import { tableDefinition } from '../../lib/db/table.ts';

/** Creates the table if it is not there, as the stack would. */
export async function createTable(table: Table): Promise<void> {
  const { partitionKey, sortKey } = tableDefinition;
  try {
    await table.client.send(new DescribeTableCommand({ TableName: table.name }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
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
  }
}
