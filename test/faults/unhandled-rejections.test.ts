import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startBugless } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { type Call, type Fate, startFaultProxy } from '../support/fault-proxy.ts';
import { isLong } from '../support/sample.ts';
import { randomFaults } from './random-faults.ts';

const SCRIPT = join(import.meta.dirname, '../support/call-and-end.ts');
const RETRY_TIMEOUT_MS = 1_000;
/** Longer than idle connections are kept. */
const MAX_EXIT_MS = 10_000;

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

const outages: [string, (call: Call) => Fate][] = [
  [`every third call of DynamoDB fails (seed ${seed})`, randomFaults(0.3, seed)],
  [
    'DynamoDB does not respond, or closes connections',
    ({ number }) => (number % 2 === 0 ? 'hang before' : 'close before'),
  ],
];
if (isLong) {
  outages.push(
    ['DynamoDB does not respond', () => 'hang before'],
    ['DynamoDB closes connections', () => 'close before'],
  );
}

it.for(outages)(
  'when %s, the process has no unhandled rejections and ends after its last response',
  async ([, decide]) => {
    const { table } = await startBugless();
    const proxy = await startFaultProxy({ target: dynamoDbEndpoint(), decide });
    const child = startScript(table.name, proxy.endpoint);
    try {
      const answered = once(child.stdout, 'data').then(() => performance.now());
      const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      const [at, [stdout, stderr, [code]]] = await Promise.all([answered, output]);
      expect([stdout, stderr, code]).toEqual(['72 answered\n', '', 0]);
      expect(performance.now() - at).toBeLessThan(MAX_EXIT_MS);
    } finally {
      child.kill('SIGKILL');
      await proxy.stop();
    }
  },
);

function startScript(tableName: string, endpoint: string) {
  return spawn(process.execPath, ['--unhandled-rejections=strict', SCRIPT], {
    env: {
      ...process.env,
      TABLE_NAME: tableName,
      DYNAMODB_ENDPOINT: endpoint,
      DATABASE_RETRY_TIMEOUT_MS: String(RETRY_TIMEOUT_MS),
      DATABASE_REQUEST_TIMEOUT_MS: String(RETRY_TIMEOUT_MS / 4),
      REQUEST_LOG: 'silent',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
