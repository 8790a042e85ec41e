import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Item } from '../../lib/dynamodb/read.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { randomFaults } from './random-faults.ts';
import { newUsers, smallTracker } from './tracker.ts';
import { type Ledger, normalizedTags, runWorkload, type Written } from './workload.ts';

/** `SEED=… OPERATIONS=… npx vitest …` repeats the random choices of a run; the interleaving may differ. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const operations = Number(process.env['OPERATIONS'] ?? 600);
const USERS = 24;
const FAULT_RATE = 0.2;
const RETRY_TIMEOUT_MS = 4_000;

describe(`${operations} operations of ${USERS} users while every fifth call of DynamoDB fails (seed ${seed})`, () => {
  const users = newUsers(USERS);
  let bugless: Bugless;
  let ledger: Ledger;
  let items: Item[];
  /** comments by their text, products by their description */
  let byText: Map<unknown, Item[]>;
  beforeAll(
    async () => {
      bugless = await startBugless(smallTracker(users));
      const proxy = await startFaultProxy({
        target: inject('dynamoDbEndpoint'),
        decide: randomFaults(FAULT_RATE, seed),
      });
      const faulty = await serve(bugless.table, {
        DYNAMODB_ENDPOINT: proxy.endpoint,
        DATABASE_RETRY_TIMEOUT_MS: String(RETRY_TIMEOUT_MS),
        ...SILENT,
      });
      ledger = await runWorkload(faulty.call, users, operations, seed);
      await proxy.stop();
      items = await allItems(bugless.table);
      byText = Map.groupBy(items, ({ sk, text, description }) => (sk === 'PRODUCT' ? description : text));
    },
    60_000 + operations * 100,
  );

  const itemsOf = ({ text }: Written): Item[] => byText.get(text) ?? [];
  const idOf = (kind: Written['kind'], item: Item | undefined) =>
    kind === 'bug' ? item?.['bug_id'] : item?.['id'];

  it('no response violates the interface', () => {
    expect(ledger.violations).toEqual([]);
    expect(ledger.operations).toBeGreaterThanOrEqual(operations);
  });

  it('fewer than a tenth of the requests get 503', () => {
    expect(ledger.statuses.get(503) ?? 0).toBeLessThan(ledger.operations / 10);
    for (const outcome of ['acknowledged', 'refused']) {
      expect(ledger.written.filter((one) => one.outcome === outcome).length).toBeGreaterThan(operations / 50);
    }
  });

  it('every acknowledged write is stored exactly once', () => {
    const acknowledged = ledger.written.filter(({ outcome }) => outcome === 'acknowledged');
    const violations = acknowledged.filter((one) => {
      const found = itemsOf(one);
      const isOnItsBug = one.bug === undefined || found[0]?.['bug_id'] === one.bug;
      return found.length !== 1 || idOf(one.kind, found[0]) !== one.id || !isOnItsBug;
    });
    expect(violations).toEqual([]);
  });

  it('no refused write is stored', () => {
    const refused = ledger.written.filter(({ outcome }) => outcome === 'refused');
    expect(refused.filter((one) => itemsOf(one).length > 0)).toEqual([]);
  });

  it('a write answered with 503 is stored at most once', () => {
    const unknown = ledger.written.filter(({ outcome }) => outcome === 'unknown');
    expect(unknown.filter((one) => itemsOf(one).length > 1)).toEqual([]);
  });

  it('tags and descriptions are the last acknowledged ones', () => {
    const tagsOf = (id: number) =>
      items.find((item) => String(item['sk']).startsWith('COMMENT#') && item['id'] === id)?.['tags'];
    const mistagged = ledger.tagged.filter(
      ({ comment, possible }) => !possible.has(normalizedTags(tagsOf(comment) as string[])),
    );
    expect(mistagged).toEqual([]);
    const descriptionOf = (id: number) =>
      items.find(({ pk, sk }) => pk === `PRODUCT#${id}` && sk === 'PRODUCT')?.['description'];
    const misdescribed = ledger.described.filter(
      ({ product, possible }) => !possible.has(String(descriptionOf(product))),
    );
    expect(misdescribed).toEqual([]);
    expect(ledger.tagged.length).toBeGreaterThan(USERS / 2);
  });

  it('every invariant of the table holds', async () => {
    await expectNoViolations(bugless.table);
  });
});
