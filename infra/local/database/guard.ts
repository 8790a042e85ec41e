import { type ChildProcess, spawn } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import type { GuardMessage } from './server-process.ts';

/**
 * The process between `npm start` and its database. It has the lock of the data as long as the database may run, and ends the
 * database when `npm start` ends, however that ends: the operating system closes the channel between them.
 *
 * Its arguments are the file of the lock (empty: none), the program and its arguments. It says whether it has the lock; any
 * message then starts the program.
 */

// What ends all processes named `node` at once would otherwise leave the database behind.
process.title = 'bugless-guard';
/** For the database of an `npm start` that was just killed. */
const LOCK_TIMEOUT_MS = 3_000;
const STOP_TIMEOUT_MS = 5_000;
const [lockFile = '', command = '', ...args] = process.argv.slice(2);

let program: ChildProcess | undefined;
const lock = takeLock();
// The lock is that of a connection, which must stay.
process.on('exit', () => lock?.close());
process.on('disconnect', stop);
process.once('message', start);
if (!process.connected) process.exit();

/** Takes the lock, which the operating system releases when this process ends. */
function takeLock(): DatabaseSync | undefined {
  if (lockFile === '') {
    say({ lock: 'held' });
    return undefined;
  }
  try {
    const database = new DatabaseSync(lockFile, { timeout: LOCK_TIMEOUT_MS });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    say({ lock: 'held' });
    return database;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    say({ lock: message === 'database is locked' ? 'taken' : message });
    return undefined;
  }
}

function start(): void {
  program = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], windowsHide: true });
  const { pid } = program;
  if (pid !== undefined) say({ pid });
  program.once('error', ({ message }) => end(message));
  program.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
}

function end(reason: string): void {
  program = undefined;
  say({ ended: reason });
  if (process.connected) process.disconnect();
  else process.exit();
}

function stop(): void {
  if (program === undefined) process.exit();
  program.kill('SIGTERM');
  setTimeout(() => program?.kill('SIGKILL'), STOP_TIMEOUT_MS);
}

/** The parent may have ended. */
function say(message: GuardMessage): void {
  process.send?.(message, undefined, undefined, () => undefined);
}
