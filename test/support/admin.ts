import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Table } from '../../lib/dynamodb/client.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';

const MAIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/** Output and exit code of a command. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `npm run admin -- <args>` without the AWS configuration of the machine. */
export async function runAdmin(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

/** Runs commands on a table. */
export function adminOf({ name }: Table): (...args: string[]) => Promise<CommandResult> {
  const environment = { TABLE_NAME: name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
  return (...args) => runAdmin(args, environment);
}
