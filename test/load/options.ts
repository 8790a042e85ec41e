import { parseArgs } from 'node:util';
import * as z from 'zod';

/** What `npm run load -- …` was told. */
export interface Options {
  /** how long requests are made, in all */
  seconds: number;
  /** how many are under way at once, at most */
  connections: number;
  /** of the table before anything is asked */
  items: number;
  seed: number;
}

export const USAGE = `Usage: npm run load -- [options]

  --seconds N       make requests for so long (60)
  --connections N   so many at once, at most (32)
  --items N         on a tracker of so many items (20000)
  --seed N          what decides by chance (6)

Exits with 1 when an answer is not as it should be, when something acknowledged is missing or stands there
twice afterwards, or when the service's memory grows.`;

/** The command line cannot be understood. */
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
 * @throws UsageError saying what is wrong
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
