import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { errors } from '../../../lib/errors.ts';
import { openTable, type Table } from '../../../lib/table/client.ts';
import { isConverted } from '../../../lib/table/format.ts';
import { tableDefinition, writeFormatOfNewTable } from '../../../lib/table/table.ts';
import { LOCAL_CREDENTIALS } from '../../local-credentials.ts';
import { startDynamoDbLocal } from './dynamodb-local.ts';
import { embeddedName, startEmbedded } from './embedded.ts';
import type { DatabaseServer } from './server-process.ts';

/** The opened database. */
export interface Database {
  table: Table;
  /** URL of the DynamoDB that has the table */
  endpoint: string;
  /** whether the table was just created */
  isNew: boolean;
  /** whether the table is of this service alone */
  isOwn: boolean;
  /** whether its data is kept in `.local/` */
  keepsData: boolean;
}

/** The servers that `npm start` starts itself, each with a folder of its own: neither can read the other's data. */
const SERVERS = {
  embedded: { name: embeddedName, folder: '.local/embedded', start: startEmbedded },
  'dynamodb-local': { name: () => 'DynamoDB Local', folder: '.local/dynamodb', start: startDynamoDbLocal },
};
const isOwnServer = (choice: string): choice is keyof typeof SERVERS => Object.hasOwn(SERVERS, choice);
const TABLE_NAME = 'bugless';

/**
 * Chooses the database: the option, else `DYNAMODB_ENDPOINT`, else the embedded one where it is installed, else
 * DynamoDB Local.
 *
 * @param option of the command line
 * @param endpoint the environment variable
 * @returns `embedded`, `dynamodb-local`, or the URL of a DynamoDB that is running already
 */
export const chooseDatabase = (
  option: string | undefined,
  endpoint: string | undefined,
  isEmbeddedInstalled: boolean,
): string => option ?? (endpoint || (isEmbeddedInstalled ? 'embedded' : 'dynamodb-local'));

/**
 * Opens the database, starting its server if it is one of our own, and creates the table unless it exists. Sets the
 * credentials in `process.env`.
 *
 * @param memory whether to keep no data
 * @param cleanup receives the functions that stop what was started
 * @param report receives lines that say which database is used
 * @param fail receives why a server of our own does not run any more
 * @throws Error with the remedy when the database does not start or does not respond, its data is in use or was emptied
 */
export async function openDatabase(
  choice: string,
  memory: boolean,
  cleanup: AsyncDisposableStack,
  report: (line: string) => void,
  fail: (reason: string) => void,
): Promise<Database> {
  if (!isOwnServer(choice)) {
    report(`Database: ${choice}`);
    return reportFormat(await openRunning(choice, memory, cleanup), report);
  }
  const { name, folder, start } = SERVERS[choice];
  report(`Database: ${name()}, ${memory ? 'in memory' : `data in ${folder}`}`);
  if (!memory) {
    reportOtherData(choice, report);
    makeFolder(folder);
  }
  const server = await start(memory ? undefined : resolve(folder), cleanup);
  void keepRunning(server, memory, console.error, fail);
  const { endpoint } = server;
  Object.assign(process.env, LOCAL_CREDENTIALS);
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
  return reportFormat(
    { ...(await openTableAt(endpoint, TABLE_NAME)), isOwn: true, keepsData: !memory },
    report,
  );
}

/** Makes the folder of the data. @throws Error with the remedy where it, or data that is there, cannot be written */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of ['.', ...readdirSync(folder)]) {
      accessSync(join(folder, name), constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`No data can be kept in ${folder} (${reason}). To keep none: npm start -- --memory`);
  }
}

/** Says that data of an earlier version has to be converted. */
async function reportFormat(database: Database, report: (line: string) => void): Promise<Database> {
  if (!isConverted(await database.table.format.current())) report(errors.upgradePending().message);
  return database;
}

/** Without this line, data of the other server would seem lost. */
function reportOtherData(kind: keyof typeof SERVERS, report: (line: string) => void): void {
  const other = kind === 'embedded' ? 'dynamodb-local' : 'embedded';
  const { name, folder } = SERVERS[other];
  if (existsSync(SERVERS[kind].folder) || !existsSync(folder)) return;
  report(`There is data of ${name()} in ${folder}. To use it: npm start -- --database ${other}`);
}

/** A running DynamoDB keeps its tables, so that `memory` needs a table of its own, deleted at the end. */
async function openRunning(
  endpoint: string,
  memory: boolean,
  cleanup: AsyncDisposableStack,
): Promise<Database> {
  if (!process.env['AWS_ACCESS_KEY_ID'] && !process.env['AWS_PROFILE']) {
    Object.assign(process.env, LOCAL_CREDENTIALS);
  }
  process.env['AWS_REGION'] ||= LOCAL_CREDENTIALS.AWS_REGION;
  const name = process.env['TABLE_NAME'] || TABLE_NAME;
  const ownName = memory ? `${name}-${randomBytes(4).toString('hex')}` : name;
  const database = await openTableAt(endpoint, ownName).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`There is no working DynamoDB on ${endpoint}: ${reason}`);
  });
  if (memory) {
    const { client, name: TableName } = database.table;
    cleanup.defer(async () => {
      await client.send(new DeleteTableCommand({ TableName }));
    });
  }
  return { ...database, isOwn: memory, keepsData: false };
}

async function openTableAt(endpoint: string, name: string): Promise<Omit<Database, 'isOwn' | 'keepsData'>> {
  const table = openTable(name, endpoint);
  return { table, endpoint, isNew: await createTable(table) };
}

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

async function create({ client, name }: Table): Promise<void> {
  const { partitionKey, sortKey } = tableDefinition;
  const definition = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
  });
  try {
    await client.send(definition);
  } catch (error) {
    // The SDK repeats a request that timed out, and the first one may have created the table.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
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

const MAX_RESTARTS = 3;
const PERIOD_MS = 60_000;

/**
 * Starts a database again, on the same data, whenever it ends by itself: at most three times within a minute. What was in
 * memory is lost with it, so that such a database is not started again: what clients have written would be gone without a word.
 *
 * @param report receives a line for each start
 * @param fail receives why there is no database any more
 */
export async function keepRunning(
  { ended, restart }: Pick<DatabaseServer, 'ended' | 'restart'>,
  isInMemory: boolean,
  report: (line: string) => void,
  fail: (reason: string) => void,
): Promise<void> {
  let restarts: number[] = [];
  for (let reason = await ended(); reason !== undefined; reason = await ended()) {
    const now = performance.now();
    restarts = [...restarts.filter((time) => now - time < PERIOD_MS), now];
    if (isInMemory) {
      return fail(`The database ended, and with it its data, which was in memory only: ${reason}`);
    }
    if (restarts.length > MAX_RESTARTS) {
      return fail(`The database ended ${restarts.length} times within a minute: ${reason}`);
    }
    const [cause] = reason.split('\n');
    report(`The database ended (${cause}). It is started again on the same data.`);
    // Where it fails, it has ended again.
    await restart().catch(() => undefined);
  }
}
