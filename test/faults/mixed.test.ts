import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';
import { newTracker, newUsers } from '../support/workload/tracker.ts';
import { problemsOf } from '../support/workload/verify.ts';
import { type Ledger, Workload } from '../support/workload/workload.ts';
import { randomFaults } from './random-faults.ts';

/** `SEED=… OPERATIONS=… npx vitest …` repeats the random choices of a run; the interleaving may differ. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const operations = Number(process.env['OPERATIONS'] ?? 200);
const USERS = 24;
/** Few, so that many writers conflict. */
const BUGS = 12;
const FAULT_RATE = 0.2;
/** Long, so that a loaded machine does not make calls fail that no fault makes fail. */
const RETRY_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 1_000;

describe(`${operations} operations of ${USERS} users while every fifth call of DynamoDB fails (seed ${seed})`, () => {
  const users = newUsers(USERS);
  let bugless: Bugless;
  let ledger: Ledger;
  beforeAll(
    async () => {
      bugless = await startBugless(newTracker(users, BUGS));
      const proxy = await useFaultProxy({ decide: randomFaults(FAULT_RATE, seed) });
      const faulty = await serve(bugless.table, {
        DYNAMODB_ENDPOINT: proxy.endpoint,
        DATABASE_RETRY_TIMEOUT_MS: String(RETRY_TIMEOUT_MS),
        DATABASE_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
        ...SILENT,
      });
      const workload = new Workload(faulty.call, users, BUGS, seed);
      await workload.run(USERS, (done) => done < operations / USERS);
      ledger = workload.ledger;
    },
    300_000 + operations * 100,
  );

  it('no response violates the interface', () => {
    expect(ledger.violations).toEqual([]);
    expect(ledger.operations).toBeGreaterThanOrEqual(operations);
  });

  it('fewer than a tenth of the requests get 503', () => {
    expect(ledger.statuses.get(503) ?? 0).toBeLessThan(ledger.operations / 10);
    for (const outcome of ['acknowledged', 'refused']) {
      expect(ledger.written.filter((one) => one.outcome === outcome).length).toBeGreaterThan(
        operations / 200,
      );
    }
  });

  it('every acknowledged write is stored exactly once, no refused one, and others at most once', async () => {
    expect(problemsOf(ledger, await allItems(bugless.table))).toEqual([]);
    expect(ledger.tagged.length).toBeGreaterThan(USERS / 2);
  });

  it('every invariant of the table holds', async () => {
    await expectNoViolations(bugless.table);
  });
});
