import { type Command, InvalidArgumentError } from 'commander';
import { parseTime } from '../../lib/base/time.ts';
import { UsageError } from './context.ts';

/** The most that `--limit` takes. */
export const MAX_LIMIT = 10_000;

/** Adds the option `--limit` to a command. @param most what it bounds, such as `at most so many` */
export const withLimit = (command: Command, most: string, otherwise: number): Command =>
  command.option('--limit <N>', `${most}, up to ${MAX_LIMIT}`, limit, otherwise);

function limit(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,5}$/.test(text) && number <= MAX_LIMIT) return number;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LIMIT}.`);
}

/** Reads a time that an option gives. @returns `YYYY-MM-DDThh:mm:ssZ` @throws UsageError */
export function requireTime(given: string): string {
  const time = parseTime(given);
  if (time === undefined) throw new UsageError(`'${given}' is no time, such as 2026-01-02T03:04:05Z`);
  return time;
}
