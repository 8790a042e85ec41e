import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import * as z from 'zod';

/** Where `npm start` says what it runs on, so that `npm run admin` in the same checkout finds it. */
const FILE = '.local/service.json';

const runningService = z.object({
  /** of the process of `npm start` */
  pid: z.int(),
  /** its own URL */
  url: z.url(),
  /** URL of its DynamoDB */
  endpoint: z.string(),
  table: z.string(),
  /** URL of its event bus; absent: it has none */
  bus: z.optional(z.string()),
  /** URL of the bus of mails about accounts; absent: it has none */
  accountBus: z.optional(z.string()),
  /** its settings of groups that give rights, and REQUIRE_LOGIN, by the names of the settings */
  groups: z.optional(z.record(z.string(), z.string())),
});
type RunningService = z.infer<typeof runningService>;

interface Announced extends Omit<RunningService, 'pid' | 'bus' | 'accountBus'> {
  bus: string | undefined;
  accountBus: string | undefined;
}

/**
 * Announces the service of this process, unless another one in the same folder is announced and still runs.
 *
 * @param cleanup receives the function that withdraws it
 * @returns why it is not announced; undefined: it is
 */
export async function announceService(
  { bus, accountBus, ...service }: Announced,
  cleanup: AsyncDisposableStack,
): Promise<string | undefined> {
  if ((await findService()) !== undefined) {
    return 'npm run admin uses the service that was started before in this folder.';
  }
  const own: RunningService = {
    ...{ pid: process.pid, ...service },
    ...(bus === undefined ? {} : { bus }),
    ...(accountBus === undefined ? {} : { accountBus }),
  };
  try {
    await mkdir('.local', { recursive: true });
    await writeFile(FILE, `${JSON.stringify(own)}\n`);
  } catch {
    return `${FILE} cannot be written: npm run admin needs DYNAMODB_ENDPOINT=${own.endpoint} TABLE_NAME=${own.table}`;
  }
  cleanup.defer(async () => {
    if ((await readService())?.pid === own.pid) await rm(FILE, { force: true });
  });
  return undefined;
}

/** The service of this folder that is announced and still runs; undefined: there is none. */
export async function findService(): Promise<RunningService | undefined> {
  const service = await readService();
  return service !== undefined && (await isRunning(service)) ? service : undefined;
}

async function readService(): Promise<RunningService | undefined> {
  const text = await readFile(FILE, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return runningService.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Another process may have its id by now, but does not listen on its port. */
async function isRunning({ pid, url }: RunningService): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { hostname, port } = new URL(url);
  const connection = connect(Number(port), hostname);
  return once(connection, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => connection.destroy());
}
