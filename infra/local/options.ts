import { parseArgs } from 'node:util';
import * as z from 'zod';

/** The options of `npm start -- …`. */
export interface Options {
  port: number;
  memory: boolean;
  catalogue: string | undefined;
  empty: boolean;
  quiet: boolean;
  bundled: boolean;
  /** `embedded`, `dynamodb-local` or a URL; undefined: not given */
  database: string | undefined;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options]

  --port N         port on 127.0.0.1; 0: a free port (default 3000)
  --memory         keep no data; without it, data is kept in .local/
  --catalog FILE   load this catalogue instead of the demo
  --empty          load nothing
  --quiet          print only the line that says it is ready
  --bundled        serve the bundles that would be deployed instead of the sources
  --database NAME  embedded (no Java needed; on Linux x64), dynamodb-local (needs Java 17),
                   or the URL of a running DynamoDB; by default DYNAMODB_ENDPOINT if it is
                   set, else embedded where it is installed, else dynamodb-local
  --help           print this`;

/** The command line is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const DATABASES: readonly string[] = ['embedded', 'dynamodb-local'];

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
  const { catalog: catalogue, database } = values;
  if (database !== undefined && !DATABASES.includes(database) && !/^https?:\/\//.test(database)) {
    throw new UsageError(`--database ${database}: must be ${DATABASES.join(', ')} or a URL`);
  }
  return { ...values, catalogue, database, port: port.data };
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
        database: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
