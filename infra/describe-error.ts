import { resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import * as z from 'zod';
import { escapeInvisible } from '../lib/base/text.ts';

/** An error of a system call, but for that of a program that is not there: its number, and the file or port that it is about. */
const systemError = z.looseObject({
  syscall: z.string().regex(/^(?!spawn)/),
  code: z.string(),
  errno: z.int(),
  path: z.string().optional(),
  dest: z.string().optional(),
  port: z.int().optional(),
});

/**
 * The message of an error, as a command prints it. That of a file has its whole path: `npm run` starts commands in the folder of
 * the project, wherever it is called.
 */
export function describeError(error: unknown): string {
  const { data } = systemError.safeParse(error);
  if (data?.code === 'EADDRINUSE' && data.port !== undefined) {
    return `Port ${data.port} is in use. Choose another: npm start -- --port ${data.port + 1} (0: a free port)`;
  }
  const file = data?.dest ?? data?.path;
  if (data !== undefined && file !== undefined) {
    return escapeInvisible(`${resolve(file)}: ${getSystemErrorMessage(data.errno)}`);
  }
  return escapeInvisible(error instanceof Error ? error.message : String(error));
}
