import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { runCommand } from '../../infra/admin/run-command.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';

const MAIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/** Output and exit code of a command. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs `npm run admin -- <args>` in a process, without the AWS configuration of the machine.
 *
 * @param folder in which it runs; absent: that of the test
 * @param onStart receives the process
 */
export async function runAdmin(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  { folder, onStart }: { folder?: string; onStart?: (child: ChildProcess) => void } = {},
): Promise<CommandResult> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(AWS_|TABLE_NAME|DYNAMODB_)/.test(name),
  );
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...Object.fromEntries(inherited),
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      ...environment,
    },
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

/** Runs commands on a table in this process, one after the other: a process of its own takes ten times as long. */
export function adminOf(
  { name }: Table,
  endpoint = dynamoDbEndpoint(),
): (...args: string[]) => Promise<CommandResult> {
  return async (...args) => {
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
    vi.stubEnv('TABLE_NAME', name).stubEnv('DYNAMODB_ENDPOINT', endpoint);
    try {
      return { code: await runCommand(args), ...printed };
    } finally {
      vi.unstubAllEnvs();
      for (const spy of spies) spy.mockRestore();
    }
  };
}
