import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROJECT = join(import.meta.dirname, '../..');
const START = join(PROJECT, 'infra/local/start.ts');

/** `npm start`, running or ended. */
export interface Started {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** once it has said so */
  ready(): Promise<string>;
  /** its exit code, once it has ended */
  ended(): Promise<number | null>;
}

/** A folder that is gone after `use`. */
export async function inNewFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bugless-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts what `npm start -- <args>` starts; data goes into the folder, by default a temporary one. */
export function start(args: string[], environment: NodeJS.ProcessEnv = {}, folder = tmpdir()): Started {
  return startCommand(process.execPath, [START, ...args], environment, folder);
}

/** Runs `npm start -- <args>`. */
export function startWithNpm(args: string[]): Started {
  return startCommand('npm', ['start', '--', ...args], {}, PROJECT);
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
      for (;;) {
        const url = /^ready (http:\/\/127\.0\.0\.1:\d+)$/m.exec(started.stdout)?.[1];
        if (url !== undefined) return url;
        if (child.exitCode !== null) throw new Error(`It ended: ${started.stderr}`);
        await sleep(20);
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

/** The processes that a process has started, by their commands. */
export function childrenOf({ child }: Started): { pid: number; command: string }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent]) => Number(parent) === child.pid)
    .map(([pid, , command]) => ({ pid: Number(pid), command: command ?? '' }));
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
