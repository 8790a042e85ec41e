import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Item } from '../../lib/dynamodb/read.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { harmful } from './random-faults.ts';
import { people, smallTracker } from './tracker.ts';
import { foldedTags, type Ledger, runWorkload, type Written } from './workload.ts';

/** `SEED=… OPERATIONS=… npx vitest …` repeats a run as far as chance goes; which call comes first is the machine's. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));
const operations = Number(process.env['OPERATIONS'] ?? 600);
const PEOPLE = 24;
const HARMED = 0.2;
const PATIENCE_MILLISECONDS = 4_000;

describe(`${operations} operations of ${PEOPLE} people, every fifth call of DynamoDB harmed (seed ${seed})`, () => {
  const everybody = people(PEOPLE);
  let bugless: Bugless;
  let ledger: Ledger;
  let items: Item[];
  /** comments by their text, products by their description */
  let byText: Map<unknown, Item[]>;
  beforeAll(
    async () => {
      bugless = await startBugless(smallTracker(everybody));
      const proxy = await startFaultProxy({
        target: inject('dynamoDbEndpoint'),
        decide: harmful(HARMED, seed),
      });
      const faulty = await serve(bugless.table, {
        DYNAMODB_ENDPOINT: proxy.endpoint,
        DATABASE_RETRY_TIMEOUT_MS: String(PATIENCE_MILLISECONDS),
        ...SILENT,
      });
      ledger = await runWorkload(faulty.call, everybody, operations, seed);
      await proxy.stop();
      items = await allItems(bugless.table);
      byText = Map.groupBy(items, ({ sk, text, description }) => (sk === 'PRODUCT' ? description : text));
    },
    60_000 + operations * 100,
  );

  const there = ({ text }: Written): Item[] => byText.get(text) ?? [];
  const idOf = (kind: Written['kind'], item: Item | undefined) =>
    kind === 'bug' ? item?.['bug_id'] : item?.['id'];

  it('nobody is answered what should never be answered', () => {
    expect(ledger.surprises).toEqual([]);
    expect(ledger.operations).toBeGreaterThanOrEqual(operations);
  });

  it('most of what is asked is done all the same', () => {
    expect(ledger.statuses.get(503) ?? 0).toBeLessThan(ledger.operations / 10);
    for (const outcome of ['acknowledged', 'refused']) {
      expect(ledger.written.filter((one) => one.outcome === outcome).length).toBeGreaterThan(operations / 50);
    }
  });

  it('every acknowledged write is there exactly once', () => {
    const acknowledged = ledger.written.filter(({ outcome }) => outcome === 'acknowledged');
    const wrong = acknowledged.filter((one) => {
      const found = there(one);
      const isOnItsBug = one.bug === undefined || found[0]?.['bug_id'] === one.bug;
      return found.length !== 1 || idOf(one.kind, found[0]) !== one.id || !isOnItsBug;
    });
    expect(wrong).toEqual([]);
  });

  it('every refused write is not there', () => {
    const refused = ledger.written.filter(({ outcome }) => outcome === 'refused');
    expect(refused.filter((one) => there(one).length > 0)).toEqual([]);
  });

  it('what was answered 503 is there once or not at all', () => {
    const unknown = ledger.written.filter(({ outcome }) => outcome === 'unknown');
    expect(unknown.filter((one) => there(one).length > 1)).toEqual([]);
  });

  it("tags of a comment, and a product's description, are the last that were acknowledged", () => {
    const tagsOf = (id: number) =>
      items.find((item) => String(item['sk']).startsWith('COMMENT#') && item['id'] === id)?.['tags'];
    const mistagged = ledger.tagged.filter(
      ({ comment, possible }) => !possible.has(foldedTags(tagsOf(comment) as string[])),
    );
    expect(mistagged).toEqual([]);
    const descriptionOf = (id: number) =>
      items.find(({ pk, sk }) => pk === `PRODUCT#${id}` && sk === 'PRODUCT')?.['description'];
    const misdescribed = ledger.described.filter(
      ({ product, possible }) => !possible.has(String(descriptionOf(product))),
    );
    expect(misdescribed).toEqual([]);
    expect(ledger.tagged.length).toBeGreaterThan(PEOPLE / 2);
  });

  it('every invariant of the table holds', async () => {
    await expectNoViolations(bugless.table);
  });
});
