import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import type { Cleanup } from '../../infra/local/cleanup.ts';
import { createTable } from '../../infra/local/database/create-table.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { openTable } from '../../lib/dynamodb/client.ts';
import { Random } from '../bench/tracker/random.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { drive } from './driver.ts';
import { Journal } from './journal.ts';
import { memoryProblems } from './memory.ts';
import { Mix } from './mix.ts';
import type { Options } from './options.ts';
import { printMemory, printStage } from './report.ts';
import { readAll } from './requests.ts';
import { type Service, startService } from './service.ts';
import { type Stage, stagesOf } from './stages.ts';
import { problemsOf } from './verify.ts';
import { createWorld } from './world.ts';

/**
 * Load test: starts the service on a generated tracker in memory and a database that reports transaction conflicts as
 * DynamoDB does, sends requests in stages, prints latencies, and verifies that all acknowledged writes are stored.
 *
 * @param cleanup stops the started processes
 * @returns problems
 */
export async function load(options: Options, cleanup: Cleanup): Promise<string[]> {
  const { seconds, connections, items, seed } = options;
  const { table, world, service, conflicts } = await startTracker(options, cleanup);
  console.log(`${items} items, seed ${seed}, ${service.url}`);

  const journal = new Journal();
  const mix = new Mix(world, new Random(seed), journal);
  const problems: string[] = [];
  for (const stage of stagesOf(seconds, connections)) {
    problems.push(...(await runStage(service, mix, stage)));
    const failure = service.failure();
    if (failure !== undefined) return [...problems, `The service has ended: ${failure}`];
  }

  problems.push(...problemsOf(journal, await readAll(service.url, journal)));
  const { comments, products, openTexts } = journal;
  console.log(
    `\nAcknowledged: ${comments.length} comments, ${products.length} products; without a response: ${openTexts.size} comments`,
  );
  console.log(`${conflicts.count} transaction conflicts`);
  return [...problems, ...(await checkTable(table)).found.map(lineOf)];
}

async function startTracker({ seed, items }: Options, cleanup: Cleanup) {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const folder = await mkdtemp(join(tmpdir(), 'bugless-load-'));
  cleanup.add(() => rm(folder, { recursive: true }));
  const { endpoint } = await startDynamoDbLocal(undefined, cleanup);
  const table = openTable('bugless', endpoint);
  await createTable(table);
  const proxy = await startFaultProxy({ target: endpoint, isRecording: false });
  cleanup.add(() => proxy.stop());
  const [world, service] = await Promise.all([
    createWorld(table, seed, items),
    startService(table.name, proxy.endpoint, folder, cleanup),
  ]);
  return { table, world, service, conflicts: proxy.conflicts };
}

/** Runs a stage, and measures memory if it is steady. @returns problems */
async function runStage(service: Service, mix: Mix, stage: Stage): Promise<string[]> {
  const atStart = service.memory();
  const before = stage.isSteady ? await service.heap() : 0;
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(service.memory()), (stage.seconds * 1_000) / SAMPLES);
  const outcome = await drive(service.url, mix, stage).finally(() => clearInterval(sampling));
  printStage(stage, outcome, atStart);
  if (!stage.isSteady || service.failure() !== undefined) return outcome.failures;

  const memory = { requests: outcome.all.count, samples, heap: { before, after: await service.heap() } };
  printMemory(memory);
  return [...outcome.failures, ...memoryProblems(memory)];
}

const SAMPLES = 30;
