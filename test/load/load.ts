import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTable, described } from '../../infra/admin/check.ts';
import { LOCAL_CREDENTIALS, startDynamoDbLocal } from '../../infra/local/dynamodb-local.ts';
import type { Stops } from '../../infra/local/stops.ts';
import { createTable } from '../../infra/local/table.ts';
import { openTable } from '../../lib/db/client.ts';
import { Chance } from '../bench/tracker/chance.ts';
import { askForAll } from './asking.ts';
import { type Driven, drive } from './driving.ts';
import { Journal } from './journal.ts';
import { inMB, type Memory, memoryProblems } from './memory.ts';
import { Mix } from './mix.ts';
import type { Options } from './options.ts';
import { type Service, startService } from './service.ts';
import { type Stage, stagesOf } from './stages.ts';
import { tellStage } from './telling.ts';
import { problemsOf } from './verifying.ts';
import { makeWorld } from './world.ts';

/**
 * Starts the service on a tracker in memory, makes requests in stages, prints what came of them, and looks
 * whether all is there that was acknowledged.
 *
 * @param stops takes how to stop what was started
 * @returns what is wrong; nothing, when all is well
 */
export async function load({ seconds, connections, items, seed }: Options, stops: Stops): Promise<string[]> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const folder = await mkdtemp(join(tmpdir(), 'bugless-load-'));
  stops.add(() => rm(folder, { recursive: true }));
  const { endpoint } = await startDynamoDbLocal(undefined, stops);
  const table = openTable('bugless', endpoint);
  await createTable(table);
  const [world, service] = await Promise.all([
    makeWorld(table, seed, items),
    startService(table.name, endpoint, folder, stops),
  ]);
  console.log(`${items} items, seed ${seed}, ${service.url}`);

  const journal = new Journal();
  const mix = new Mix(world, new Chance(seed), journal);
  const problems: string[] = [];
  for (const stage of stagesOf(seconds, connections)) {
    const { driven, memory } = await underLoad(service, mix, stage);
    problems.push(...driven.failures);
    if (memory !== undefined) problems.push(...memoryProblems(memory));
    const failure = service.failure();
    if (failure !== undefined) return [...problems, `The service has ended: ${failure}`];
  }

  problems.push(...problemsOf(journal, await askForAll(service.url, journal)));
  const { comments, products, openTexts } = journal;
  console.log(
    `\nAcknowledged: ${comments.length} comments, ${products.length} products; without an answer: ${openTexts.size} comments`,
  );
  return [...problems, ...(await checkTable(table)).map(described)];
}

/** Runs a stage; when it is the steady one, watches memory. */
async function underLoad(
  service: Service,
  mix: Mix,
  stage: Stage,
): Promise<{ driven: Driven; memory: Memory | undefined }> {
  const atStart = service.memory();
  if (!stage.isSteady) {
    const driven = await drive(service.url, mix, stage);
    tellStage(stage, driven, atStart);
    return { driven, memory: undefined };
  }
  const before = await service.heap();
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(service.memory()), (stage.seconds * 1_000) / SAMPLES);
  const driven = await drive(service.url, mix, stage).finally(() => clearInterval(sampling));
  const heap = { before, after: await service.heap() };
  tellStage(stage, driven, atStart);
  console.log(`\nMemory in MB: ${samples.map(inMB).join(' ')}`);
  console.log(`Heap without garbage: ${inMB(heap.before)} MB before, ${inMB(heap.after)} MB after`);
  return { driven, memory: { samples, heap } };
}

const SAMPLES = 30;
