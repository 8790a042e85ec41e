import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { listen } from '../listen.ts';

/** DynamoDB's interface on this machine. */
export interface LocalEndpoint {
  /** URL */
  endpoint: string;
  stop(): Promise<void>;
}

/** A running DynamoDB on this machine. */
export interface DatabaseServer extends LocalEndpoint {
  /** Resolves when it ends by itself, with the reason; undefined: it was stopped. */
  ended(): Promise<string | undefined>;
  /** Starts it again after it ended, at the same URL. @throws Error when it does not start */
  restart(): Promise<void>;
}

/** A program that serves DynamoDB's interface on a port of 127.0.0.1. */
export interface ServerProgram {
  command: string;
  arguments(port: number): string[];
  /** path of the file that has its data, in a folder that exists; undefined: in memory */
  data: string | undefined;
  /** the remedy when the program does not start */
  help: string;
}

/** What the guard says: whether it has the lock, or why not; the id of the program's process; why that ended. */
const guardMessage = z.object({
  lock: z.optional(z.string()),
  pid: z.optional(z.int()),
  ended: z.optional(z.string()),
});
export type GuardMessage = z.input<typeof guardMessage>;

/** Of a machine that is busy. A process that ends is noticed at once. */
const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 10;
/** Of what a program prints. */
const MAX_OUTPUT = 4_000;
const GUARD = join(import.meta.dirname, 'guard.ts');
/** That of the guard's module `node:sqlite`. */
const NO_WARNING = '--disable-warning=ExperimentalWarning';

/**
 * Starts a database server on a free port and waits until it responds. It ends when this process ends.
 *
 * @param cleanup receives the function that stops it, as soon as a process is started
 * @throws Error with the remedy when it does not start, or its data is in use or was emptied
 */
export async function startServer(
  program: ServerProgram,
  cleanup?: AsyncDisposableStack,
): Promise<DatabaseServer> {
  const { port, url: endpoint, stop: release } = await listen(createServer());
  await release();
  let isStopping = false;
  let running: Running | undefined;

  async function stop(): Promise<void> {
    isStopping = true;
    await running?.stop();
  }

  async function start(): Promise<void> {
    running = startGuard(program, port);
    const ended = running.ended.then((reason) => {
      throw new Error([program.help, reason].join('\n'));
    });
    ended.catch(() => undefined);
    try {
      await Promise.race([running.locked, ended]);
      requireData(program.data);
      running.start();
      await Promise.race([responds(endpoint), ended]);
      running.forgetOutput();
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  cleanup?.defer(stop);
  await start();
  return {
    endpoint,
    restart: start,
    stop,
    async ended() {
      const reason = await running?.ended;
      return isStopping ? undefined : reason;
    },
  };
}

/** A guard with its program. */
interface Running {
  /** resolves when the guard has the lock */
  locked: Promise<void>;
  start(): void;
  /** resolves when both have ended, with the reason, and what the program has printed since it was forgotten */
  ended: Promise<string>;
  forgetOutput(): void;
  stop(): Promise<void>;
}

function startGuard({ command, arguments: argumentsFor, data }: ServerProgram, port: number): Running {
  const lock = data === undefined ? '' : `${data}.lock`;
  const guard = spawn(process.execPath, [NO_WARNING, GUARD, lock, command, ...argumentsFor(port)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Not in the group of processes that a terminal, or its user, ends at once.
    detached: true,
    windowsHide: true,
  });
  const locked = Promise.withResolvers<void>();
  locked.promise.catch(() => undefined);
  let output = '';
  let reason = 'the process that guards it ended';
  let program: number | undefined;
  guard.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT);
  });
  guard.on('message', (message) => {
    const said = guardMessage.parse(message);
    program = said.pid ?? program;
    if (said.ended !== undefined) {
      reason = said.ended;
      program = undefined;
    }
    if (said.lock === 'held') locked.resolve();
    else if (said.lock !== undefined) locked.reject(new Error(notLocked(data ?? '', said.lock)));
  });
  const closed = endOf(guard);
  return {
    locked: locked.promise,
    ended: closed.then(() => {
      // Only where the guard itself was killed.
      if (program !== undefined) process.kill(program, 'SIGKILL');
      return [reason, output.trim()].join('\n').trim();
    }),
    forgetOutput() {
      output = '';
    },
    start: () => void guard.send('start', () => undefined),
    async stop() {
      if (guard.connected) guard.disconnect();
      await closed;
    },
  };
}

/** Resolves when a process has ended and all that it printed was read. Node misses its `close` after some disconnections. */
async function endOf(child: ChildProcess): Promise<void> {
  const output = child.stderr === null ? [] : [once(child.stderr, 'close')];
  await Promise.all([once(child, 'exit'), ...output]);
}

const notLocked = (data: string, reason: string): string =>
  reason === 'taken'
    ? `Another npm start uses the data in ${dirname(data)}. Stop it, or keep no data: npm start -- --memory --port 0`
    : `The data in ${dirname(data)} cannot be locked: ${reason}. To keep no data: npm start -- --memory`;

/** Checks that a file of data was not emptied: a new table in its place would hide the loss. @throws Error with the remedy */
function requireData(path: string | undefined): void {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
  throw new Error(
    `${path} is empty: its data is lost. Restore it from a backup, or remove the folder to begin anew.`,
  );
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
