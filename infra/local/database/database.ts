import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { openTable, type Table } from '../../../lib/dynamodb/client.ts';
import { LOCAL_CREDENTIALS } from '../../local-credentials.ts';
import type { Cleanup } from '../cleanup.ts';
import { createTable } from './create-table.ts';
import { startDynamoDbLocal } from './dynamodb-local.ts';

/** Where the data is. */
export interface Database {
  table: Table;
  /** URL of the DynamoDB that has it */
  endpoint: string;
  /** whether the table was not there before */
  isNew: boolean;
}

const KEPT_IN = '.local/dynamodb';
const TABLE_NAME = 'bugless';

/**
 * Opens the table to serve from, in the DynamoDB that `DYNAMODB_ENDPOINT` names or else in a DynamoDB Local
 * started here, and creates it if need be. Sets the credentials that reach it in `process.env`.
 *
 * @param memory keep nothing once stopped
 * @param stops takes how to stop what was started
 * @throws Error when there is no Java and no endpoint, or the endpoint does not answer
 */
export async function openDatabase(memory: boolean, cleanup: Cleanup): Promise<Database> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  return given ? openGiven(given, memory, cleanup) : openOwn(memory, cleanup);
}

async function openOwn(memory: boolean, cleanup: Cleanup): Promise<Database> {
  const { endpoint } = await startDynamoDbLocal(memory ? undefined : resolve(KEPT_IN), cleanup);
  Object.assign(process.env, LOCAL_CREDENTIALS);
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
  return openIn(endpoint, TABLE_NAME);
}

/** Another's DynamoDB keeps data as it likes; to keep nothing there takes a table of its own. */
async function openGiven(endpoint: string, memory: boolean, cleanup: Cleanup): Promise<Database> {
  if (!process.env['AWS_ACCESS_KEY_ID'] && !process.env['AWS_PROFILE']) {
    Object.assign(process.env, LOCAL_CREDENTIALS);
  }
  process.env['AWS_REGION'] ||= LOCAL_CREDENTIALS.AWS_REGION;
  const name = process.env['TABLE_NAME'] || TABLE_NAME;
  const database = await openIn(endpoint, memory ? `${name}-${randomBytes(4).toString('hex')}` : name).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`DynamoDB does not answer as it should on DYNAMODB_ENDPOINT=${endpoint}: ${reason}`);
    },
  );
  if (!memory) return database;
  const { client, name: own } = database.table;
  cleanup.add(async () => {
    await client.send(new DeleteTableCommand({ TableName: own }));
  });
  return database;
}

async function openIn(endpoint: string, name: string): Promise<Database> {
  const table = openTable(name, endpoint);
  return { table, endpoint, isNew: await createTable(table) };
}
