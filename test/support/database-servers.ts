import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { TLS } from './tls-certificate.ts';

/** A database server of Debian, in a folder of its own, without a port. */
export interface DatabaseServer {
  /** of a database, for an import */
  address(database: string): string;
  /** Makes a database from SQL. */
  load(database: string, sql: Buffer | string): void;
  stop(): Promise<void>;
}

const MARIADB = '/usr/sbin/mariadbd';
const [POSTGRES = ''] = globSync('/usr/lib/postgresql/*/bin');

/** How to install what is missing; '': it is installed. */
export const missingMariadb = existsSync(MARIADB) ? '' : 'apt-get install mariadb-server';
export const missingPostgres = POSTGRES === '' ? 'apt-get install postgresql' : '';

const isRoot = process.getuid?.() === 0;
const MAX_BUFFER = 100_000_000;

export async function startMariadb(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'));
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
  const user = isRoot ? ['--user=root'] : [];
  const tls = Object.entries(TLS).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return `--ssl-${name}=${join(folder, name)}`;
  });
  execFileSync(
    '/usr/bin/mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', ...user],
    { stdio: 'pipe' },
  );
  const child = spawn(
    MARIADB,
    [
      ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking', ...user],
      ...tls,
      ...['--innodb-flush-log-at-trx-commit=0', '--max-allowed-packet=256M', '--local-infile=0'],
    ],
    { stdio: 'ignore' },
  );
  const client = (args: string[], input?: Buffer | string) =>
    execFileSync('/usr/bin/mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', ...args], {
      ...(input === undefined ? {} : { input }),
      maxBuffer: MAX_BUFFER,
    });
  await untilReady(child, () => client(['-e', 'SELECT 1']));
  return {
    address: (database) => `mysql://root@localhost/${database}?socket=${encodeURIComponent(socket)}`,
    load(database, sql) {
      client(['-e', `CREATE DATABASE IF NOT EXISTS ${database} CHARACTER SET utf8mb4`]);
      client(['--default-character-set=utf8mb4', '--max-allowed-packet=256M', database], sql);
    },
    stop: () => stopAndRemove(child, folder),
  };
}

export async function startPostgres(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  // PostgreSQL does not run as root.
  const [uid, gid] = isRoot ? ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres']))) : [];
  const owner = uid === undefined || gid === undefined ? {} : { uid, gid };
  chmodSync(folder, 0o755);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, 'data');
  execFileSync(join(POSTGRES, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'], {
    ...owner,
    stdio: 'pipe',
  });
  const child = spawn(
    join(POSTGRES, 'postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    { ...owner, stdio: 'ignore' },
  );
  const psql = (database: string, args: string[], input?: Buffer | string) =>
    execFileSync(join(POSTGRES, 'psql'), ['-h', folder, '-U', 'postgres', '-d', database, '-q', ...args], {
      ...(input === undefined ? {} : { input }),
      maxBuffer: MAX_BUFFER,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  await untilReady(child, () => psql('postgres', ['-c', 'SELECT 1']));
  return {
    address: (database) => `postgres://postgres@localhost/${database}?socket=${encodeURIComponent(folder)}`,
    load(database, sql) {
      psql('postgres', ['-c', `CREATE DATABASE ${database}`]);
      psql(database, [], sql);
    },
    stop: () => stopAndRemove(child, folder),
  };
}

const MAX_ATTEMPTS = 300;

async function untilReady(child: ChildProcess, ask: () => unknown): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      ask();
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || child.exitCode !== null) throw error;
      // A server of another program tells nobody that it is ready.
      await setTimeout(100);
    }
  }
}

async function stopAndRemove(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
