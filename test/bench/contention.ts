import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { ADMIN, type Invoke, openGround, openHandlers } from './environment.ts';
import { printTable, rounded } from './print.ts';

const PER_SECOND = 22;
/** Each changes the product index. */
const PRODUCTS_PER_SECOND = 20;
const SECONDS = 20;
const BUSY_BUG = 1;
const IDLE_BUGS = [2, 3];

/** Status and duration of a request. */
interface Sample {
  status: number;
  milliseconds: number;
}

/**
 * Latency under contention, with transaction conflicts as DynamoDB reports them: comments on one bug, and tag searches
 * while new tags are added.
 */
export async function contention(): Promise<void> {
  const ground = await openGround();
  const proxy = await startFaultProxy({ target: ground.endpoint });
  const { invoke } = await openHandlers(ground.table.name, proxy.endpoint);
  const rows = [
    row('comments on idle bugs, one after the other', await sequential(invoke)),
    row(
      `${PER_SECOND} comments/s on one bug`,
      await openLoop(PER_SECOND * SECONDS, (n) => comment(invoke, n)),
    ),
    row(
      `${PER_SECOND} comments/s on one bug, with Idempotency-Key`,
      await openLoop(PER_SECOND * SECONDS, (n) => comment(invoke, n, `key-${n}`)),
    ),
    row('260 comments on one bug at once', await atOnce(260, (n) => comment(invoke, n))),
    row(
      '260 comments on one bug at once, with Idempotency-Key',
      await atOnce(260, (n) => comment(invoke, n, `once-${n}`)),
    ),
    row(
      `${PRODUCTS_PER_SECOND} products a second opened or closed`,
      await openLoop(PRODUCTS_PER_SECOND * SECONDS, (n) => toggleProduct(invoke, n), PRODUCTS_PER_SECOND),
    ),
    row('tag search while nothing is tagged', await searches(invoke, Promise.resolve())),
    row('tag search while 4 × 7 requests add 99 new tags each', await searches(invoke, tagging(invoke))),
  ];
  printTable('Latency under contention, with transaction conflicts (milliseconds)', rows);
  console.log(`${proxy.conflicts.count} conflicts`);
  await proxy.stop();
  await ground.stop();
}

function row(name: string, samples: Sample[]) {
  const times = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) =>
    rounded(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0, 0);
  const refused = samples.filter(({ status }) => status >= 300).length;
  return { name, requests: samples.length, refused, p50: at(0.5), p95: at(0.95), max: at(1) };
}

async function sample(work: () => Promise<{ statusCode: number }>): Promise<Sample> {
  const before = performance.now();
  const { statusCode } = await work();
  return { status: statusCode, milliseconds: performance.now() - before };
}

function comment(invoke: Invoke, n: number, key?: string, bug = BUSY_BUG) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return invoke({
    method: 'POST',
    target: `/rest/bug/${bug}/comment`,
    key: ADMIN,
    body: { comment: `c ${n}` },
    headers,
  });
}

/** Four products in turns: consecutive requests share only the version of the index. */
const toggleProduct = (invoke: Invoke, n: number) =>
  invoke({
    method: 'PUT',
    target: `/rest/product/${[2, 5, 12, 13][n % 4]}`,
    key: ADMIN,
    body: { is_open: n % 8 < 4 },
  });

async function sequential(invoke: Invoke): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let n = 0; n < 100; n += 1) {
    samples.push(await sample(() => comment(invoke, n, undefined, IDLE_BUGS[n % IDLE_BUGS.length])));
  }
  return samples;
}

/** Requests start at a fixed rate, whether or not earlier ones have ended. */
async function openLoop(
  count: number,
  work: (n: number) => Promise<{ statusCode: number }>,
  perSecond = PER_SECOND,
): Promise<Sample[]> {
  const started: Promise<Sample>[] = [];
  for (let n = 0; n < count; n += 1) {
    started.push(sample(() => work(n)));
    await sleep(1_000 / perSecond);
  }
  return Promise.all(started);
}

const atOnce = (count: number, work: (n: number) => Promise<{ statusCode: number }>): Promise<Sample[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => sample(() => work(n))));

/** Searches one after the other, 200 times, or until `meanwhile` has ended. */
async function searches(invoke: Invoke, meanwhile: Promise<unknown>): Promise<Sample[]> {
  let isOver = false;
  const end = meanwhile.then(() => {
    isOver = true;
  });
  const samples: Sample[] = [];
  while (samples.length < 200 || !isOver) {
    samples.push(
      await sample(() => invoke({ method: 'GET', target: '/rest/bug/comment/tags/new', key: ADMIN })),
    );
  }
  await end;
  return samples;
}

/** Four clients that add 693 new tags each, as many a request as it takes. */
async function tagging(invoke: Invoke): Promise<void> {
  const comments = [10, 12, 13, 14];
  await Promise.all(
    comments.map(async (id, client) => {
      for (let request = 0; request < 7; request += 1) {
        const add = Array.from({ length: 99 }, (_, n) => `new-${client}-${request}-${n}`);
        const { statusCode } = await invoke({
          method: 'PUT',
          target: `/rest/bug/comment/${id}/tags`,
          key: ADMIN,
          body: { add },
        });
        if (statusCode !== 200) throw new Error(`Tagging comment ${id}: ${statusCode}`);
      }
    }),
  );
}
