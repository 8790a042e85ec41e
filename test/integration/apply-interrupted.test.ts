import { beforeAll, describe, expect, it } from 'vitest';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { type Item, readItem } from '../../lib/table/read.ts';
import { deleteItem } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import type { Call, Fate, FaultProxy } from '../support/fault-proxy.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { isLong } from '../support/sample.ts';
import { allItems, itemsButCounters } from '../support/table-items.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const ANN = 'ann@example.org';
const day = (number: number) => new Date(Date.UTC(2024, 0, 1 + number)).toISOString().replace('.000', '');

/** More than fit into one transaction. */
const MANY = 60;

const commentsOf = (count: number, firstId: number) =>
  Array.from({ length: count }, (_, number) => ({
    id: firstId + number,
    text: `comment ${number}`,
    creator: ANN,
    creation_time: day(number),
    is_private: number === 1,
    work_time: number % 3,
    tags: number === 2 ? ['spam', 'off-topic'] : [],
  }));

function catalogueOf(firstId = 1): Catalogue {
  const common = { product: 'P', component: 'Core', reporter: ANN };
  return parseNumbered({
    users: [{ id: 1, login: ANN }],
    products: [{ id: 1, name: 'P', components: [{ id: 1, name: 'Core' }], versions: [{ id: 1, name: '1' }] }],
    bugs: [
      { ...common, id: 7, summary: 'long', comments: commentsOf(MANY, firstId) },
      { ...common, id: 8, summary: 'short', comments: commentsOf(3, 101) },
      { ...common, id: 9, summary: 'named', aliases: ['name'], comments: commentsOf(2, 201) },
    ],
  });
}

/** A table with a catalogue except its bugs. */
async function tableFor(catalogue: Catalogue): Promise<Table> {
  const table = await newTable({ ...catalogue, bugs: [] });
  return table;
}

/** The products and bugs of a table, without the ids of bugs and comments. */
async function contentWithoutIds(table: Table): Promise<unknown> {
  const { bugs, ...rest } = await exportedCatalogue(table);
  const anonymous = bugs.map(
    ({ id, comments, ...bug }: { id: number; comments: object[]; summary: string }) => ({
      ...bug,
      comments: comments.map((comment) => ({ ...comment, id: undefined })),
    }),
  );
  anonymous.sort((a: { summary: string }, b: { summary: string }) => (a.summary < b.summary ? -1 : 1));
  return { ...rest, bugs: anonymous };
}

/** A run with `RUNS` ends the first run at each write. */
const STEP = isLong ? 1 : 7;

const isWrite = ({ operation }: Call) =>
  /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/.test(operation);

let proxy: FaultProxy;
let decide: (call: Call) => Fate = () => 'pass';
beforeAll(async () => {
  proxy = await useFaultProxy({ decide: (call) => decide(call) });
});

const throughProxy = ({ name }: Table): Table =>
  openTable(name, proxy.endpoint, { requestTimeoutMs: 60_000 });

/** Simulates a process that ends after `most` writes. */
async function endAfter(most: number, table: Table, catalogue: Catalogue): Promise<'ended' | 'came through'> {
  let writes = 0;
  decide = (call) => {
    if (isWrite(call)) writes += 1;
    return writes > most ? { status: 400, error: 'AccessDeniedException' } : 'pass';
  };
  return applyCatalogue(throughProxy(table), catalogue).then(
    () => 'came through',
    () => 'ended',
  );
}

/** The bugs that a request would see without some of their comments. */
const incompleteBugs = (items: Item[]): Item[] =>
  items.filter(({ pk, sk, comment_count }) => {
    const isComment = (item: Item) => item.pk === pk && item.sk.startsWith('COMMENT#');
    return sk === 'BUG' && items.filter(isComment).length !== comment_count;
  });

describe('a file', () => {
  const catalogue = catalogueOf();
  let expected: Item[];
  beforeAll(async () => {
    const original = await tableFor(catalogue);
    await applyCatalogue(original, catalogue);
    expected = await itemsButCounters(original);
  });

  it('is resumed by the next run wherever the first one ended', async () => {
    for (let most = 0; ; most += STEP) {
      const table = await tableFor(catalogue);
      const outcome = await endAfter(most, table, catalogue);
      expect(incompleteBugs(await allItems(table)), `after ${most} writes`).toEqual([]);
      await applyCatalogue(table, catalogue);
      await expectNoViolations(table);
      expect(await itemsButCounters(table), `after ${most} writes`).toEqual(expected);
      if (outcome === 'came through') {
        expect(most).toBeGreaterThan(10);
        return;
      }
    }
  });

  it('is resumed by several runs, each of which ends a little later', async () => {
    const table = await tableFor(catalogue);
    for (let most = 1; (await endAfter(most, table, catalogue)) === 'ended'; most += Math.min(STEP, 4));
    await expectNoViolations(table);
    expect(await itemsButCounters(table)).toEqual(expected);
  });

  it('leaves a valid table when two runs conflict', async () => {
    const table = await tableFor(catalogue);
    const runs = await Promise.allSettled([
      applyCatalogue(table, catalogue),
      applyCatalogue(table, catalogue),
    ]);
    for (const run of runs) if (run.status === 'rejected') expect(run.reason).toBeInstanceOf(ConditionFailed);
    await applyCatalogue(table, catalogue);
    await expectNoViolations(table);
    expect(await itemsButCounters(table)).toEqual(expected);
  });
});

describe('a product that is restricted otherwise', () => {
  const withControls = (...groups: string[]) => {
    const [product] = catalogue.products;
    const group_controls = groups.map((group) => ({ group, membercontrol: 'MANDATORY' as const }));
    return parseCatalogue({ products: [{ ...product, group_controls }] });
  };
  const catalogue = parseNumbered({
    groups: [{ name: 'first' }, { name: 'second' }, { name: 'own' }],
    ...{ users: catalogueOf().users, products: catalogueOf().products },
    bugs: catalogueOf().bugs.map((bug, number) => ({
      ...bug,
      groups: number === 0 ? ['own'] : [],
      ...(number === 1 ? { status: 'RESOLVED', resolution: 'FIXED' } : {}),
    })),
  });

  async function groupsOfBugs(table: Table): Promise<unknown[]> {
    const bugs = (await itemsButCounters(table)).filter(({ sk }) => sk === 'BUG');
    return bugs.map(({ groups }) => groups);
  }

  it('takes its bugs along, also when the run is interrupted', async () => {
    for (let most = 0; ; most += Math.min(STEP, 2)) {
      const table = await newTable(catalogue);
      const outcome = await endAfter(most, table, withControls('first'));
      await applyCatalogue(table, withControls('first'));
      await expectNoViolations(table);
      expect(await groupsOfBugs(table), `after ${most} writes`).toEqual([
        ['first', 'own'],
        ['first'],
        ['first'],
      ]);
      if (outcome === 'came through') {
        expect(most).toBeGreaterThanOrEqual(4);
        return;
      }
    }
  });

  it('frees its bugs from groups that it does not have any more', async () => {
    const table = await newTable(catalogue);
    await applyCatalogue(table, withControls('first'));
    await applyCatalogue(table, withControls('second'));
    await expectNoViolations(table);
    expect(await groupsOfBugs(table)).toEqual([['own', 'second'], ['second'], ['second']]);
  });

  it('gives its groups to bugs of a catalogue', async () => {
    const table = await newTable(catalogue);
    await applyCatalogue(table, withControls('first'));
    const comments = [{ id: 900, text: 'new', creator: ANN, creation_time: day(1) }];
    const bug = { id: 10, product: 'P', component: 'Core', summary: 's', reporter: ANN, comments };
    await applyCatalogue(table, parseNumbered({ bugs: [bug] }));
    await expectNoViolations(table);
    expect((await groupsOfBugs(table)).filter((groups) => String(groups) === 'first')).toHaveLength(3);
  });
});

const untagged = (firstId = 1): Catalogue => {
  const { bugs, ...rest } = catalogueOf(firstId);
  const long = bugs.filter(({ id }) => id === 7);
  return {
    ...rest,
    bugs: long.map((bug) => ({ ...bug, comments: bug.comments.map((one) => ({ ...one, tags: [] })) })),
  };
};

/** Removes the bug and some of its comments. */
async function forsake(table: Table, counts: number[]): Promise<void> {
  const items = await itemsButCounters(table);
  const isOne = ({ count }: Record<string, unknown>) => counts.includes(Number(count));
  const { key: change } = changeEntry(bugItem.parse(await readItem(table, bugKey(7), bugItem)));
  for (const { pk, sk } of [bugKey(7), change, ...items.filter(isOne)]) await deleteItem(table, { pk, sk });
}

it.each([
  { what: 'have holes', holes: [0, 3, 4], firstId: 1 },
  { what: 'have ids that the file gives others now', holes: [1, 59], firstId: 31 },
])('the items of an interrupted run may $what', async ({ holes, firstId }) => {
  const table = await tableFor(untagged());
  await applyCatalogue(table, untagged(firstId));
  const expected = await contentWithoutIds(table);
  await forsake(table, holes);
  await applyCatalogue(table, untagged());
  await expectNoViolations(table);
  expect(await contentWithoutIds(table)).toEqual(expected);
});

it.each([
  { what: 'fewer comments', comments: commentsOf(3, 1) },
  { what: 'other comments at the same times', comments: commentsOf(3, 901) },
  {
    what: 'other comments at other times',
    comments: commentsOf(3, 901).map((one) => ({ ...one, creation_time: '2025-01-01' })),
  },
])(
  'a run that ended within the comments of a bug may be followed by one whose file has $what',
  async ({ comments }) => {
    const catalogue = catalogueOf();
    const table = await tableFor(catalogue);
    decide = ({ operation, body }) =>
      operation === 'TransactWriteItems' && JSON.stringify(body).includes(`"COMMENT#${day(55)}#0000000055"`)
        ? { status: 400, error: 'AccessDeniedException' }
        : 'pass';
    const interrupted = applyCatalogue(throughProxy(table), catalogue);
    await expect(interrupted).rejects.toMatchObject({ name: 'AccessDeniedException' });
    const left = (await allItems(table)).filter(({ pk, sk }) => pk === 'BUG#7' && sk.startsWith('COMMENT#'));
    expect(left.length).toBeGreaterThan(0);

    const { bugs, ...rest } = catalogue;
    const [bug, ...others] = bugs;
    const changed = parseNumbered({ bugs: [{ ...bug, comments }] });
    const now = { ...rest, bugs: [...changed.bugs, ...others] };
    await applyCatalogue(table, now);
    await expectNoViolations(table);
    const [expected, ofBug] = [await newTable(now), /"BUG#7"|"COMMENT#\d+"/];
    const comparable = async (of: Table) =>
      (await itemsButCounters(of))
        .filter((item) => ofBug.test(JSON.stringify(item.pk)))
        .map(({ pk, sk, bug_id, text }) => [pk.startsWith('COMMENT#') ? 'pointer' : pk, bug_id, sk, text]);
    expect((await comparable(table)).sort()).toEqual((await comparable(expected)).sort());
  },
);

/** Of 256 KB each: more than the 3.5 MB of one transaction. */
const LONG_COMMENTS = 15;

it('comments of the maximum length are added in several transactions', async () => {
  const { bugs, ...rest } = catalogueOf();
  const text = '𝄞'.repeat(65_535);
  const long = bugs.slice(0, 1).map((bug) => ({
    ...bug,
    comments: bug.comments.slice(0, LONG_COMMENTS).map((one) => ({ ...one, text })),
  }));
  const table = await newTable({ ...rest, bugs: long });
  await expectNoViolations(table);
});
