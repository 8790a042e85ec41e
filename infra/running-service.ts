import { once } from 'node:events';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import * as z from 'zod';
import { jsonOf } from '../lib/base/json.ts';

/** Where `npm start` says what it runs on, so that `npm run admin` in the same checkout finds it. */
const FILE = '.local/service.json';
/** Those that were started after it. */
const FURTHER = '.local/service-*.json';

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
 * Announces the service of this process, after others in the same folder that still run.
 *
 * @param cleanup receives the function that withdraws it
 * @returns why `npm run admin` does not use it; undefined: it does
 */
export async function announceService(
  { bus, accountBus, ...service }: Announced,
  cleanup: AsyncDisposableStack,
): Promise<string | undefined> {
  const [first] = await findServices();
  const file = first === undefined ? FILE : FURTHER.replace('*', String(process.pid));
  const own: RunningService = {
    ...{ pid: process.pid, ...service },
    ...(bus === undefined ? {} : { bus }),
    ...(accountBus === undefined ? {} : { accountBus }),
  };
  try {
    await mkdir('.local', { recursive: true });
    await writeFile(file, `${JSON.stringify(own)}\n`);
  } catch {
    return `${file} cannot be written: npm run admin needs DYNAMODB_ENDPOINT=${own.endpoint} TABLE_NAME=${own.table}`;
  }
  cleanup.defer(async () => {
    if ((await readService(file))?.pid === own.pid) await rm(file, { force: true });
  });
  if (first === undefined) return undefined;
  return 'npm run admin uses the service that was started before in this folder.';
}

/** The services of this folder that are announced and still run, the one that was started first before the others. */
export async function findServices(): Promise<RunningService[]> {
  const files = [FILE, ...(await Array.fromAsync(glob(FURTHER))).sort()];
  const services = (await Promise.all(files.map(readService))).filter((one) => one !== undefined);
  const running = await Promise.all(services.map(isRunning));
  return services.filter((_, index) => running[index]);
}

async function readService(file: string): Promise<RunningService | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return runningService.safeParse(jsonOf(text ?? '')).data;
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
