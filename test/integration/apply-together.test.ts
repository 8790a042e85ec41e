import { beforeAll, describe, expect, it } from 'vitest';
import { repairTable } from '../../infra/admin/check/check-table.ts';
import { applyCatalogue, planCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { openTable, type Table } from '../../lib/dynamodb/client.ts';
import { ConditionFailed } from '../../lib/dynamodb/errors.ts';
import { bugLeaseKey, counterKey } from '../../lib/dynamodb/keys.ts';
import { anyItem, readItem } from '../../lib/dynamodb/read.ts';
import { deleteItem } from '../../lib/dynamodb/write.ts';
import { newTable, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import type { Call, Fate, FaultProxy } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const BUGS = 20;

const products = parseCatalogue({
  users: [{ id: 1, login: REPORTER, api_keys: [{ key: keys.admin }], groups: ['editbugs'] }],
  groups: [{ name: 'editbugs' }],
  products: [aProduct()],
});

/** @param text of all comments */
const bugsOf = (text: string, ids: { bug: number; comment: number } = { bug: 1, comment: 1 }): Catalogue =>
  parseCatalogue({
    bugs: times(BUGS, (index) =>
      aBug(ids.bug + index, {
        summary: text,
        comments: [0, 1].map((count) =>
          aComment(text, {
            id: ids.comment + 2 * index + count,
            creation_time: `2024-01-0${count + 1}`,
          }),
        ),
      }),
    ),
  });

let proxy: FaultProxy;
let decide: (call: Call) => Fate;
beforeAll(async () => {
  proxy = await useFaultProxy({ decide: (call) => decide(call) });
});

/** The table behind the proxy. */
const delayed = ({ name }: Table): Table =>
  openTable(name, proxy.endpoint, { retryTimeoutMs: 100_000, requestTimeoutMs: 100_000 });
/** The lease of its runs ends soon, not its calls. */
const withShortLease = (table: Table): Table => ({ ...table, retryTimeoutMs: 25, requestTimeoutMs: 25 });

/** Holds the first call that a function selects. */
function holdFirst(isMeant: (call: Call) => boolean) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isOver = false;
  decide = (call) => {
    if (isOver || !isMeant(call)) return 'pass';
    isOver = true;
    reached.resolve();
    return { after: released.promise };
  };
  return { reached: reached.promise, release: released.resolve };
}

/** The first write of a run that has the lease. */
const isCounterUpdate = ({ operation, body }: Call): boolean =>
  operation === 'UpdateItem' && JSON.stringify(body).includes('COUNTER#bug');

/** What is written before the comments. */
const isWordsBatch = ({ operation, body }: Call): boolean =>
  operation === 'BatchWriteItem' && JSON.stringify(body).includes('"WORD#');

/** Written after the comments. */
const isBugTransaction = ({ operation }: Call): boolean => operation === 'TransactWriteItems';

const textsOf = async (table: Table): Promise<string[]> => {
  const { bugs } = await exportedCatalogue(table);
  const texts = bugs.flatMap((bug: { comments: { text: string }[] }) => bug.comments.map(({ text }) => text));
  return [...new Set<string>(texts)];
};

/** Applies a second catalogue while the first one has the lease, as soon as the second one waits. */
async function applyBoth(table: Table, idsOfSecond: { bug: number; comment: number }) {
  const { reached, release } = holdFirst(isCounterUpdate);
  const first = applyCatalogue(delayed(table), bugsOf('first'));
  await reached;
  const waiting = Promise.withResolvers<void>();
  const second = applyCatalogue(table, bugsOf('second', idsOfSecond), { onWait: waiting.resolve });
  await waiting.promise;
  release();
  return Promise.allSettled([first, second]);
}

describe('a catalogue that is applied while another one is', () => {
  it.each([
    { what: 'other texts of the same comments', ids: { bug: 1, comment: 1 }, outcome: 'rejected' },
    { what: 'the same comments in other bugs', ids: { bug: 101, comment: 1 }, outcome: 'rejected' },
    { what: 'other comments in the same bugs', ids: { bug: 1, comment: 101 }, outcome: 'rejected' },
  ])('waits for it, and changes no comment of it, with $what', async ({ ids, outcome }) => {
    const table = await newTable(products);
    const [one, other] = await applyBoth(table, ids);
    expect([one.status, other.status]).toEqual(['fulfilled', outcome]);
    expect(await textsOf(table)).toEqual(['first']);
    await expectNoViolations(table);
  });

  it('waits for it, and adds what that does not have', async () => {
    const table = await newTable(products);
    await applyBoth(table, { bug: 101, comment: 101 });
    expect(await textsOf(table)).toEqual(['first', 'second']);
    await expectNoViolations(table);
    expect(await readItem(table, bugLeaseKey, anyItem)).toBeUndefined();
  });
});

it('a repair waits for a catalogue that is applied, and removes nothing of it', async () => {
  const table = await newTable(products);
  const { reached, release } = holdFirst(isBugTransaction);
  const applied = applyCatalogue(delayed(table), bugsOf('first'));
  await reached;
  const waiting = Promise.withResolvers<void>();
  const repair = repairTable(table, undefined, waiting.resolve);
  await waiting.promise;
  release();
  await applied;
  expect((await repair).repaired).toEqual([]);
  await expectNoViolations(table);
});

it('a run that was stopped longer than its lease writes no comments over those of the next one', async () => {
  const table = await newTable(products);
  const { reached, release } = holdFirst(isWordsBatch);
  const first = applyCatalogue(withShortLease(delayed(table)), bugsOf('first'));
  await reached;
  await applyCatalogue(table, bugsOf('second'));
  release();
  await expect(first).rejects.toBeInstanceOf(ConditionFailed);
  expect(await textsOf(table)).toEqual(['second']);
  await expectNoViolations(table);
});

it.each([
  { what: 'with other texts', ids: { bug: 1, comment: 1 }, outcome: 'rejected' },
  { what: 'with the same comments', ids: { bug: 101, comment: 1 }, outcome: 'rejected' },
])('a catalogue $what changes no comment of a table that has lost its counters', async ({ ids, outcome }) => {
  const table = await newTable(products);
  await applyCatalogue(table, bugsOf('first'));
  for (const counter of ['bug', 'comment'] as const) await deleteItem(table, counterKey(counter));
  const [{ status }] = await Promise.allSettled([applyCatalogue(table, bugsOf('second', ids))]);
  expect(status).toBe(outcome);
  expect(await textsOf(table)).toEqual(['first']);
});

it('a bug that is created between reading and writing a catalogue keeps its id and its comments', async () => {
  const table = await newTable(products);
  const plan = await planCatalogue(table, bugsOf('of the catalogue'));
  const bugless = await serve(table, SILENT);
  const body = {
    product: 'Alpha',
    component: 'Core',
    version: '1',
    summary: 'reported',
    description: 'reported',
  };
  const { status, body: created } = await bugless.call('POST', '/rest/bug', { key: keys.admin, body });
  expect([status, created.id]).toEqual([200, 1]);
  await expect(plan.execute()).rejects.toBeInstanceOf(ConditionFailed);
  const comments = await bugless.call('GET', '/rest/bug/1/comment');
  expect(comments.body.bugs[1].comments.map(({ text }: { text: string }) => text)).toEqual(['reported']);
  await expectNoViolations(table);
});
