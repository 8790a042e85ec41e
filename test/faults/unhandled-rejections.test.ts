import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { startBugless } from '../support/bugless.ts';
import { type Call, type Fate, startFaultProxy } from '../support/fault-proxy.ts';
import { randomFaults } from './random-faults.ts';

const SCRIPT = join(import.meta.dirname, '../support/call-and-end.ts');
const PATIENCE_MILLISECONDS = 1_000;
/** More than an idle connection is kept. */
const SOON_MILLISECONDS = 10_000;

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

const outages: [string, (call: Call) => Fate][] = [
  [`every third call of DynamoDB fails (seed ${seed})`, randomFaults(0.3, seed)],
  ['DynamoDB does not answer', () => 'hang before'],
  ['DynamoDB hangs up', () => 'close before'],
];

it.for(outages)(
  'a process in which %s leaves no promise without a handler, and ends when it has answered',
  { timeout: 90_000 },
  async ([, decide]) => {
    const { table } = await startBugless();
    const proxy = await startFaultProxy({ target: inject('dynamoDbEndpoint'), decide });
    const child = started(table.name, proxy.endpoint);
    try {
      const answered = once(child.stdout, 'data').then(() => performance.now());
      const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      const [at, [stdout, stderr, [code]]] = await Promise.all([answered, output]);
      expect([stdout, stderr, code]).toEqual(['56 answered\n', '', 0]);
      expect(performance.now() - at).toBeLessThan(SOON_MILLISECONDS);
    } finally {
      child.kill('SIGKILL');
      await proxy.stop();
    }
  },
);

function started(tableName: string, endpoint: string) {
  return spawn(process.execPath, ['--unhandled-rejections=strict', SCRIPT], {
    env: {
      ...process.env,
      TABLE_NAME: tableName,
      DYNAMODB_ENDPOINT: endpoint,
      DATABASE_RETRY_TIMEOUT_MS: String(PATIENCE_MILLISECONDS),
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
