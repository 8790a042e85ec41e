import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { get, openGround, openHandlers, PROJECT, percentiles } from './environment.ts';
import { printTable } from './print.ts';

const DEMO = join(PROJECT, 'infra/local/demo-catalogue.json');
const INSTANCES = 15;
const request = get('/rest/bug?product=Telescope&include_fields=id')();

/** The first search of new function instances on the demo, beside a second one of each. */
export async function firstSearch(): Promise<void> {
  const ground = await openGround(parseCatalogue(JSON.parse(readFileSync(DEMO, 'utf8'))));
  const times: Record<'first' | 'second', number[]> = { first: [], second: [] };
  for (let instance = 0; instance < INSTANCES; instance += 1) {
    const { invoke } = await openHandlers(ground.table.name, ground.endpoint);
    // What is read once in an instance, whatever it is asked for.
    await invoke(get('/rest/bug/1?include_fields=id')());
    for (const name of ['first', 'second'] as const) {
      const started = performance.now();
      const { statusCode, body } = await invoke(request);
      times[name].push(performance.now() - started);
      if (statusCode !== 200) throw new Error(body);
    }
  }
  await ground.stop();
  printTable(
    `Searches of ${INSTANCES} new instances (milliseconds)`,
    Object.entries(times).map(([search, measured]) => ({ search, ...percentiles(measured) })),
  );
}
