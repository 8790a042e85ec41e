import { parseArgs } from 'node:util';
import * as z from 'zod';

/** The options of `npm start -- …`. */
export interface Options {
  port: number;
  memory: boolean;
  catalog: string | undefined;
  empty: boolean;
  quiet: boolean;
  bundled: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options]

  --port N         port on 127.0.0.1; 0: any free one (default 3000)
  --memory         keep no data; without it, data is kept in .local/
  --catalog FILE   load this catalogue instead of the demo
  --empty          load nothing
  --quiet          print only the line that says it is ready
  --bundled        serve the bundles that would be deployed instead of the sources
  --help           print this

With DYNAMODB_ENDPOINT set, that DynamoDB is used and none is started.`;

/** The command line is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const portSchema = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((port) => port <= 65_535);

/**
 * Reads the command line of `npm start`.
 *
 * @param args the arguments after the script's name
 * @throws UsageError
 */
export function readOptions(args: readonly string[]): Options {
  const values = parsedValues(args);
  const port = portSchema.safeParse(values.port);
  if (!port.success) throw new UsageError(`--port ${values.port}: must be a number from 0 to 65535`);
  if (values.empty && values.catalog !== undefined) {
    throw new UsageError('--empty and --catalog exclude each other');
  }
  return { ...values, catalog: values.catalog, port: port.data };
}

function parsedValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '3000' },
        memory: { type: 'boolean', default: false },
        catalog: { type: 'string' },
        empty: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        bundled: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
