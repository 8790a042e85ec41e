import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listen.ts';

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

/** Of a machine that is busy. A process that ends is noticed at once. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 10;

/**
 * Starts a database server on a free port and waits until it responds.
 *
 * @param cleanup receives the function that stops it, as soon as the process is started
 * @throws Error with the remedy when it does not start
 */
export async function startServer(
  program: ServerProgram,
  cleanup?: AsyncDisposableStack,
): Promise<DatabaseServer> {
  const { port, url: endpoint, stop: release } = await listen(createServer());
  await release();
  const child = spawn(program.command, program.arguments(port), { stdio: ['ignore', 'ignore', 'pipe'] });
  // The server must not outlive this process, however this process ends.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  cleanup?.defer(() => stop(child));
  try {
    await Promise.race([responds(endpoint), failureOf(child, program.help)]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { endpoint, stop: () => stop(child) };
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

async function responds(endpoint: string): Promise<void> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const isUp = () =>
    fetch(endpoint, { method: 'HEAD', signal }).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (signal.aborted) throw new Error(`The database did not start within ${START_TIMEOUT_MS} ms`);
    await sleep(POLL_INTERVAL_MS);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
