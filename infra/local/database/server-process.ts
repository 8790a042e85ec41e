import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../cleanup.ts';

/** A running DynamoDB on this machine. */
export interface DatabaseServer {
  /** URL */
  endpoint: string;
  stop(): Promise<void>;
}

/** A program that serves DynamoDB's interface on a port of 127.0.0.1. */
export interface ServerProgram {
  command: string;
  arguments(port: number): string[];
  /** the remedy when the program does not start */
  help: string;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 10;

/**
 * Starts a database server on a free port and waits until it accepts connections.
 *
 * @param cleanup receives the function that stops it, as soon as the process is started
 * @throws Error with the remedy when it does not start
 */
export async function startServer(program: ServerProgram, cleanup?: Cleanup): Promise<DatabaseServer> {
  const port = await freePort();
  const child = spawn(program.command, program.arguments(port), { stdio: ['ignore', 'ignore', 'pipe'] });
  // The server must not outlive this process, however this process ends.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  cleanup?.add(() => stop(child));
  try {
    await Promise.race([acceptsConnections(port), failureOf(child, program.help)]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

/** Rejects when the process ends. */
function failureOf(child: ChildProcess, help: string): Promise<never> {
  const output: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const failure = new Promise<never>((_, reject) => {
    child.once('error', () => reject(new Error(help)));
    child.once('close', () => reject(new Error([help, ...output].join('\n').trim())));
  });
  // It also ends when it is stopped, long after the race.
  failure.catch(() => undefined);
  return failure;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port');
  return address.port;
}

async function acceptsConnections(port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await canConnect(port))) {
    if (Date.now() > deadline) throw new Error(`The database did not start within ${START_TIMEOUT_MS} ms`);
    await sleep(POLL_INTERVAL_MS);
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
