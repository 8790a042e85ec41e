import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { type DatabaseServer, startServer } from './server-process.ts';

/** In its folder. */
const EMBEDDED_FILE = 'bugless.sqlite';

const PROJECT = join(import.meta.dirname, '../../..');
const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const BINARY = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';

/** The binary of Dynoxide for this platform; undefined when the optional package is not installed. */
export function embeddedBinary(): string | undefined {
  const path = join(PROJECT, 'node_modules', PACKAGE, BINARY);
  return existsSync(path) ? path : undefined;
}

/** A binary on the PATH, which has not been tried with this version. */
const binaryOnPath = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, BINARY))
    .find(existsSync);

/** What `--database embedded` uses, for people; the binary of the PATH with its version. */
export function embeddedName(): string {
  const path = embeddedBinary() === undefined ? binaryOnPath() : undefined;
  if (path === undefined) return 'embedded (Dynoxide)';
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return `embedded (${(stdout ?? '').trim() || 'Dynoxide'}, ${path})`;
}

const packageJson = z.object({ optionalDependencies: z.record(z.string(), z.string()) });

/** How to install the embedded database on this machine. */
export function embeddedInstallation(): string {
  const { optionalDependencies } = packageJson.parse(
    JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')),
  );
  if (optionalDependencies[PACKAGE] !== undefined) return 'npm ci --include=optional';
  const [version = 'latest'] = Object.values(optionalDependencies);
  return `npm i --no-save ${PACKAGE}@${version} (built for macOS, Windows and arm64, too; untried there)`;
}

/**
 * Starts the embedded database: Dynoxide, a server of DynamoDB's interface on SQLite, which needs no Java.
 *
 * @param folder where it keeps its data, which exists; undefined: in memory
 * @param cleanup receives the function that stops it, as soon as the process is started
 * @throws Error with the alternatives when neither its package nor the program is installed, or its data cannot be used
 */
export async function startEmbedded(
  folder?: string,
  cleanup?: AsyncDisposableStack,
): Promise<DatabaseServer> {
  const binary = embeddedBinary() ?? binaryOnPath();
  if (binary === undefined) throw new Error(notInstalled());
  const data = folder === undefined ? undefined : join(folder, EMBEDDED_FILE);
  const storage = data === undefined ? [] : ['--db-path', data];
  const program = {
    command: binary,
    arguments: (port: number) => ['serve', '--host', '127.0.0.1', '--port', String(port), ...storage],
    data,
    help: notStarted(folder),
  };
  return startServer(program, cleanup);
}

const notStarted = (folder: string | undefined): string =>
  [
    'The embedded database did not start.',
    ...(folder === undefined
      ? []
      : [`Where its data is damaged, restore ${folder} from a backup, or remove it to begin anew.`]),
    'To use another database: npm start -- --database dynamodb-local',
  ].join(' ');

const notInstalled = (): string =>
  [
    'The embedded database is not installed, and there is no dynoxide on the PATH. Alternatives:',
    `- Install it: ${embeddedInstallation()}`,
    '- With Java 17 or newer, use DynamoDB Local: npm start -- --database dynamodb-local',
    '- Start a DynamoDB yourself and give its URL: npm start -- --database http://127.0.0.1:8000',
  ].join('\n');
