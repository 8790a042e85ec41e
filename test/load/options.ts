import { parseArgs } from 'node:util';
import * as z from 'zod';

/** Options of `npm run load`. */
export interface Options {
  /** total duration */
  seconds: number;
  /** maximum number of concurrent requests */
  connections: number;
  /** items of the generated tracker */
  items: number;
  seed: number;
}

export const USAGE = `Usage: npm run load -- [options]

  --seconds N       total duration (60)
  --connections N   maximum number of concurrent requests (32)
  --items N         items of the generated tracker (20000)
  --seed N          seed of the random choices (6)

Exits with 1 when a response is an error, when an acknowledged write is missing or stored twice, or when the
memory of the service grows.`;

/** The command line is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const numbers = z.object({
  seconds: z.coerce.number().min(1),
  connections: z.coerce.number().int().min(1).max(1_000),
  items: z.coerce.number().int().min(500),
  seed: z.coerce.number().int(),
});

/**
 * Reads the command line of `npm run load`.
 *
 * @param args after the script's name
 * @throws UsageError naming the invalid options
 */
export function readOptions(args: readonly string[]): Options {
  const parsed = numbers.safeParse(valuesIn(args));
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(({ path, message }) => `--${path.join('')}: ${message}`);
  throw new UsageError(places.join('\n'));
}

function valuesIn(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '60' },
        connections: { type: 'string', default: '32' },
        items: { type: 'string', default: '20000' },
        seed: { type: 'string', default: '6' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
