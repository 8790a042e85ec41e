import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
const START = join(PROJECT, 'infra/local/start.ts');

/** A process of `npm start`. */
export interface Started {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** resolves with its URL when it is ready */
  ready(): Promise<string>;
  /** resolves with its exit code */
  ended(): Promise<number | null>;
}

/** Runs `use` with a temporary folder. */
export async function inNewFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bugless-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts the process of `npm start -- <args>` in a folder, which gets its data. */
export function start(args: string[], environment: NodeJS.ProcessEnv = {}, folder = tmpdir()): Started {
  return startCommand(process.execPath, [START, ...args], environment, folder);
}

/** Runs `npm start -- <args>`. */
export function startWithNpm(args: string[]): Started {
  // `npm -s test` would keep this npm silent, too.
  return startCommand('npm', ['start', '--', ...args], { npm_config_loglevel: 'notice' }, PROJECT);
}

function startCommand(
  command: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
  folder: string,
): Started {
  const { TABLE_NAME, DYNAMODB_ENDPOINT, ...rest } = process.env;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...rest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const started: Started = {
    child,
    stdout: '',
    stderr: '',
    async ready() {
      const written = (): Promise<unknown> => once(child.stdout ?? child, 'data');
      for (;;) {
        const url = /^ready (http:\/\/127\.0\.0\.1:\d+)$/m.exec(started.stdout)?.[1];
        if (url !== undefined) return url;
        const hasEnded = child.exitCode !== null || child.signalCode !== null;
        if (hasEnded) throw new Error(`It ended: ${started.stderr}`);
        await Promise.race([written(), ended]);
      }
    },
    ended: () => ended,
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    started.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    started.stderr += text;
  });
  return started;
}

/** The processes that a process has started, and those that these have. */
export function childrenOf({ child }: Started): { pid: number; command: string }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }));
  const below = (pid: number | undefined): typeof table =>
    table.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  return below(child.pid);
}

/** Whether a process is running. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
