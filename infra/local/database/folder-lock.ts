import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Locks a folder for this process. The lock is a socket, which the operating system closes however the process ends.
 *
 * @param folder exists
 * @param cleanup receives the function that releases the lock
 * @returns false: another process has it
 */
export async function lockFolder(folder: string, cleanup: AsyncDisposableStack): Promise<boolean> {
  const path = socketOf(folder);
  for (const isLast of [false, true]) {
    const server = createServer((connection) => connection.destroy());
    server.listen(path);
    const error = await once(server, 'listening').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) {
      server.unref();
      cleanup.defer(async () => {
        server.close();
        await once(server, 'close');
      });
      return true;
    }
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    // Where there can be no socket, as in a folder for temporary files that is missing, there is no lock.
    if (!isTaken) return true;
    if (isLast || (await isHeld(path))) return false;
    // The socket of a process that was killed stays.
    rmSync(path, { force: true });
  }
  return false;
}

/** In the folder for temporary files, because paths of sockets have at most 103 characters. */
function socketOf(folder: string): string {
  const name = `bugless-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Whether a process accepts connections. */
async function isHeld(path: string): Promise<boolean> {
  const connection = connect(path);
  try {
    await once(connection, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    connection.destroy();
  }
}
