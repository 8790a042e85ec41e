import { expect, it } from 'vitest';
import { checkTable, described } from '../../infra/admin/check.ts';
import { people, smallTracker } from '../faults/tracker.ts';
import { runWorkload } from '../faults/workload.ts';
import { startBugless } from '../support/bugless.ts';

const OPERATIONS = 600;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

it(`checking a table finds nothing while people work with it (seed ${seed})`, async () => {
  const everybody = people(12);
  const bugless = await startBugless(smallTracker(everybody));
  let isOver = false;
  const work = runWorkload(bugless.call, everybody, OPERATIONS, seed).finally(() => {
    isOver = true;
  });
  const found: string[] = [];
  let checks = 0;
  for (; !isOver; checks += 1) found.push(...(await checkTable(bugless.table)).map(described));
  expect((await work).surprises).toEqual([]);
  expect(found).toEqual([]);
  expect(checks).toBeGreaterThan(3);
}, 60_000);
