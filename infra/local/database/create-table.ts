import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../../../lib/table/client.ts';
import { writeFormatOfNewTable } from '../../../lib/table/new-table.ts';
import { tableDefinition } from '../../../lib/table/table.ts';

/**
 * Creates the table unless it exists, with the keys that the stack gives it.
 *
 * @returns whether it was created
 */
export async function createTable(table: Table): Promise<boolean> {
  const isNew = !(await exists(table));
  if (isNew) await create(table);
  await writeFormatOfNewTable(table);
  return isNew;
}

async function create(table: Table): Promise<void> {
  try {
    await table.client.send(new CreateTableCommand(definitionOf(table.name)));
  } catch (error) {
    // The SDK repeats a request that timed out, and the first one may have created the table.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

function definitionOf(name: string): CreateTableCommandInput {
  const { partitionKey, sortKey } = tableDefinition;
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: 'S' },
      { AttributeName: sortKey, AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
  };
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
