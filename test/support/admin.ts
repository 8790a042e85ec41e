import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { runCommand } from '../../infra/admin/run-command.ts';
import type { Table } from '../../lib/table/client.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { restoreEnvironment } from './environment.ts';

const MAIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/** Output and exit code of a command. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Without the AWS configuration of the machine. */
const WITHOUT_AWS = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};
const isOwn = (name: string): boolean => /^(AWS_|TABLE_NAME|DYNAMODB_|EVENT)/.test(name);

/**
 * Runs `npm run admin -- <args>`: in this process, which takes a tenth of the time of one of its own, without options.
 *
 * @param folder in which a process runs
 * @param onStart receives the process
 */
export async function runAdmin(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  options?: { folder?: string; onStart?: (child: ChildProcess) => void },
): Promise<CommandResult> {
  const own = Object.keys(process.env).filter(isOwn);
  if (options === undefined) {
    const unset = Object.fromEntries(own.map((name) => [name, undefined]));
    return runHere(args, { ...unset, ...WITHOUT_AWS, ...environment });
  }
  const { folder, onStart } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !isOwn(name));
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...WITHOUT_AWS, ...environment },
    ...(folder === undefined ? {} : { cwd: folder }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(child);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

/** Starts `npm run admin -- <args>` in a terminal, whose output is all on `stdout`. */
export function spawnAdminInTerminal(args: string[], environment: NodeJS.ProcessEnv) {
  const command = [process.execPath, MAIN, ...args].map((one) => `'${one}'`).join(' ');
  const env = { ...process.env, ...WITHOUT_AWS, ...environment };
  return spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env });
}

/** Runs commands on a table in this process, one after the other. */
export const adminOf =
  ({ name }: Table, endpoint = dynamoDbEndpoint()) =>
  (...args: string[]): Promise<CommandResult> =>
    runHere(args, { TABLE_NAME: name, DYNAMODB_ENDPOINT: endpoint });

async function runHere(args: string[], environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' };
  const keep = (stream: keyof typeof printed, end: string) => (text: unknown) => {
    printed[stream] += `${text}${end}`;
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('stdout', '')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('stderr', '')),
    vi.spyOn(console, 'log').mockImplementation(keep('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(keep('stderr', '\n')),
  ];
  const before = { ...process.env };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    return { code: await runCommand(args), ...printed };
  } finally {
    vi.unstubAllEnvs();
    // Commands set variables too, such as those of the service that they found.
    restoreEnvironment(before);
    for (const spy of spies) spy.mockRestore();
  }
}
