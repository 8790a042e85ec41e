import { beforeAll, describe, expect, it } from 'vitest';
import { repairTable } from '../../infra/admin/check/check-table.ts';
import { applyCatalogue, planCatalogue } from '../../lib/catalogue/apply.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { bugApplyingKey, counterKey } from '../../lib/table/keys.ts';
import { deleteItem, putItem } from '../../lib/table/write.ts';
import { newTable, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import type { Call, Fate, FaultProxy } from '../support/fault-proxy.ts';
import { SILENT } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const BUGS = 6;

const products = parseNumbered({
  users: [{ id: 1, login: REPORTER, api_keys: [{ key: keys.admin }], groups: ['editbugs'] }],
  groups: [{ name: 'editbugs' }],
  products: [aProduct()],
});

/** @param text of all comments */
const bugsOf = (text: string, ids: { bug: number; comment: number } = { bug: 1, comment: 1 }): Catalogue =>
  parseNumbered({
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

/** Holds the calls that a function selects. */
function hold(isMeant: (call: Call) => boolean) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  decide = (call) => {
    if (!isMeant(call)) return 'pass';
    reached.resolve();
    return { after: released.promise };
  };
  return { reached: reached.promise, release: released.resolve };
}

/** The moments in which a run is held. */
const MOMENTS: [what: string, isMeant: (call: Call) => boolean][] = [
  ['before its first write', ({ operation }) => /^(Put|Update|Delete|BatchWrite|Transact)/.test(operation)],
  ['after the words', ({ operation }) => operation === 'TransactWriteItems'],
];

const textsOf = async (table: Table): Promise<string[]> => {
  const { bugs } = await exportedCatalogue(table);
  const texts = bugs.flatMap((bug: { comments: { text: string }[] }) => bug.comments.map(({ text }) => text));
  return [...new Set<string>(texts)].sort();
};

/** Applies the second catalogue while the first one is held. */
async function applyBoth(
  table: Table,
  [first, second]: [Catalogue, Catalogue],
  isMeant: (call: Call) => boolean,
) {
  const { reached, release } = hold(isMeant);
  const held = applyCatalogue(delayed(table), first);
  await reached;
  const [other] = await Promise.allSettled([applyCatalogue(table, second)]);
  release();
  const [one] = await Promise.allSettled([held]);
  return [one.status, other.status];
}

describe.each(MOMENTS)('a catalogue that is applied while another one is held %s', (_, isMeant) => {
  it.each([
    { what: 'other texts of the same comments', ids: { bug: 1, comment: 1 } },
    { what: 'the same comments in other bugs', ids: { bug: 101, comment: 1 } },
    { what: 'other comments in the same bugs', ids: { bug: 1, comment: 101 } },
  ])('keeps its comments, with $what', async ({ ids }) => {
    const table = await newTable(products);
    const both = await applyBoth(table, [bugsOf('first'), bugsOf('second', ids)], isMeant);
    expect(both).toEqual(['rejected', 'fulfilled']);
    expect(await textsOf(table)).toEqual(['second']);
    await expectNoViolations(table);
  });

  it.each([
    { what: 'what that does not have', ids: { bug: 101, comment: 101 }, texts: ['first', 'second'] },
    { what: 'the same', ids: { bug: 1, comment: 1 }, texts: ['first'] },
  ])('adds $what', async ({ ids, texts }) => {
    const table = await newTable(products);
    const second = bugsOf(texts.at(-1) ?? '', ids);
    expect(await applyBoth(table, [bugsOf('first'), second], isMeant)).toEqual(['fulfilled', 'fulfilled']);
    expect(await textsOf(table)).toEqual(texts);
    await expectNoViolations(table);
  });
});

describe('a bug that is written in several transactions', () => {
  /** More than fit into one transaction. */
  const COMMENTS = 60;
  const large = (text: string, firstId: number) =>
    parseNumbered({
      bugs: [
        aBug(1, {
          comments: times(COMMENTS, (count) => aComment(text, { id: firstId + count })),
          history: [
            { when: '2024-01-03', who: REPORTER, changes: [{ field_name: text, removed: '', added: 'x' }] },
          ],
        }),
      ],
    });
  const isComment =
    (count: number) =>
    ({ operation, body }: Call) =>
      operation === 'TransactWriteItems' &&
      JSON.stringify(body).includes(`#${String(count).padStart(10, '0')}"`);
  const isLast = ({ operation, body }: Call) =>
    operation === 'TransactWriteItems' && JSON.stringify(body).includes('CHANGED#');

  it.each([
    { what: 'before its last comments', isMeant: isComment(COMMENTS - 1) },
    { what: 'before the bug', isMeant: isLast },
  ])('is that of one run, when one is held $what', async ({ isMeant }) => {
    const table = await newTable(products);
    const both = await applyBoth(table, [large('first', 1), large('second', 1_001)], isMeant);
    expect(both).toEqual(['rejected', 'fulfilled']);
    expect(await textsOf(table)).toEqual(['second']);
    expect((await exportedCatalogue(table)).bugs[0].history).toHaveLength(1);
    await expectNoViolations(table);
  });

  it('is written once by two runs of the same file', async () => {
    const table = await newTable(products);
    const both = await applyBoth(table, [large('same', 1), large('same', 1)], isComment(COMMENTS - 1));
    expect(both).toEqual(['fulfilled', 'fulfilled']);
    expect((await exportedCatalogue(table)).bugs[0].comments).toHaveLength(COMMENTS);
    await expectNoViolations(table);
  });

  it('is left alone by a repair until it is written, for a day', async () => {
    const table = await newTable(products);
    const { reached, release } = hold(isLast);
    const applied = applyCatalogue(delayed(table), large('first', 1));
    await reached;
    expect(await repairTable(table)).toMatchObject({ repaired: [], left: { found: [] } });
    const since = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000).toISOString();
    const applying = (await allItems(table)).find(({ sk }) => sk === 'APPLYING');
    await putItem(table, { ...bugApplyingKey(1), ...applying, since });
    const { repaired, left } = await repairTable(table);
    expect([repaired, left.found.map(({ item }) => item)]).toEqual([[], ['BUG#1 APPLYING']]);
    release();
    await applied;
    await expectNoViolations(table);
  });
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
