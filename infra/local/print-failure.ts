import { inspect } from 'node:util';
import { escapeInvisible } from '../../lib/base/text.ts';

/** Prints what failed, with its cause. Texts of others in the cause begin no line, and control no terminal. */
export function printFailure(message: string, cause?: unknown): void {
  const details = cause === undefined ? '' : ` ${escapeInvisible(inspect(cause)).replaceAll('\n', '\n  ')}`;
  console.error(`${message}${details}`);
}
