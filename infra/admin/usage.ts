import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Context } from './context.ts';

/** A command was called wrongly. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** One command of the tool. */
export interface Command {
  /** that call it, as in `key create` */
  words: readonly string[];
  /** that follow, for the usage text */
  parameters: string;
  help: string;
  run(args: string[], context: Context): Promise<void>;
}

/**
 * Reads a command's arguments: options, and just the positional ones that it takes.
 *
 * @throws UsageError when there are others, or too few
 */
export function readArguments<T extends ParseArgsOptionsConfig>(args: string[], names: string[], options: T) {
  const parsed = parsedArguments(args, options);
  const [missing] = names.slice(parsed.positionals.length);
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const [extra] = parsed.positionals.slice(names.length);
  if (extra !== undefined) throw new UsageError(`'${extra}' is one too many`);
  return parsed;
}

function parsedArguments<T extends ParseArgsOptionsConfig>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
