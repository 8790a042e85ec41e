import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '../../infra/local/database/create-table.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { listen } from '../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { openTable } from '../../lib/table/client.ts';
import { completeCatalogue } from '../support/complete-catalogue.ts';
import { keys } from '../support/keys.ts';
import { rolloverCatalogue } from '../support/rollover-catalogue.ts';
import { simulateResponse } from '../support/simulated-responses.ts';
import { printTable, rounded } from './print.ts';

const DEFAULT_BUGS = 2_000;
const MAIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/** An import from a simulated Bugzilla: requests, seconds until the last one and of the rest, and memory. `--to` is the number of bugs. */
export async function importing(bugs = DEFAULT_BUGS): Promise<void> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const database = await startDynamoDbLocal(undefined, undefined, { isLongRunning: true });
  const folder = await mkdtemp(join(tmpdir(), 'bugless-'));
  const catalogue = completeCatalogue(rolloverCatalogue(bugs));
  const content = {
    catalogue,
    changed: new Map(),
    attachments: new Map(),
    maxPageSize: 10_000,
    readsHeader: true,
  };
  let [requests, lastAt] = [0, 0];
  const server = createServer(({ url = '', headers }, response) => {
    requests += 1;
    lastAt = performance.now();
    const { status, body } = simulateResponse(content, url, headers['x-bugzilla-api-key']?.toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url, stop } = await listen(server);
  await createTable(openTable('import', database.endpoint, { requestTimeoutMs: 10_000 }));
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'import', url, '--rate', '2000', '--key', keys.admin], {
    cwd: folder,
    env: { ...process.env, TABLE_NAME: 'import', DYNAMODB_ENDPOINT: database.endpoint },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let memory = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    memory = Math.max(memory, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
  }, 200);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  const ended = performance.now();
  printTable(`Import of ${bugs} bugs`, [
    {
      requests,
      'requests a bug': rounded(requests / bugs),
      'seconds of requests': rounded((lastAt - started) / 1_000),
      'seconds after them': rounded((ended - lastAt) / 1_000),
      'memory in MB': rounded(memory),
      'exit code': code,
    },
  ]);
  await stop();
  await database.stop();
  await rm(folder, { recursive: true });
}
