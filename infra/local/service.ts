import { readSettings } from '../../lib/settings.ts';
import { openDatabase } from './database.ts';
import { startGateway } from './gateway.ts';
import type { Options } from './options.ts';
import { assertPortFree } from './port.ts';
import { loadSources } from './sources.ts';
import type { Stops } from './stops.ts';

/**
 * Starts the whole service on this machine: DynamoDB, table, data, gateway. DESIGN.md 4.
 *
 * @param stops takes how to stop what was started, also when it fails halfway
 * @returns the URL that it answers
 * @throws Error saying what is in the way, and what to do about it
 */
export async function startService(options: Options, stops: Stops): Promise<string> {
  await assertPortFree(options.port);
  const database = await openDatabase(options.memory, stops);
  Object.assign(process.env, database.environment);
  readSettings(process.env);
  const gateway = await startGateway({
    routes: await loadSources(),
    port: options.port,
    onFailure: (message, cause) => console.error(message, cause ?? ''),
  });
  stops.add(gateway.stop);
  return gateway.url;
}
