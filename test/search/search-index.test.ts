import { beforeAll, describe, expect, it } from 'vitest';
import { timestamp } from '../../lib/base/time.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { putBugActions } from '../../lib/bugs/store/write-bug.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { transactWrite } from '../../lib/table/write.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';
import type { Call, Fate, FaultProxy } from '../support/fault-proxy.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { randomNumbers } from '../support/random.ts';
import { isLong } from '../support/sample.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const KEY = 'AdminKey00000000000000000000000000000000';
const ADMIN = 'admin@example.com';
const PRODUCTS = ['Alpha', 'Beta', 'Gamma'];
/** Those that are changed at random; three more are left alone. */
const BUGS = 30;
/** Of changes at random. */
const ROUNDS = isLong ? 40 : 6;

const catalogue = () =>
  parseCompleteCatalogue({
    groups: ['editbugs', 'canconfirm', 'editcomponents', 'insiders'].map((name) => ({ name })),
    users: [
      {
        login: ADMIN,
        groups: ['editbugs', 'canconfirm', 'editcomponents', 'insiders'],
        api_keys: [{ key: KEY }],
      },
    ],
    products: PRODUCTS.map((name, id) => aProduct(id + 1, name)),
    bugs: times(BUGS + 3, (n) => newBug(n + 1)),
  });

const newBug = (id: number) =>
  aBug(id, { reporter: 'former-colleague@example.org', comments: [aComment('Text', { id: 1_000 * id })] });

let proxy: FaultProxy;
let decide: (call: Call) => Fate = () => 'pass';
let writer: Bugless;
let reader: Bugless;
beforeAll(async () => {
  proxy = await useFaultProxy({ decide: (call) => decide(call) });
  writer = await startBugless(catalogue());
  reader = await serve(writer.table, { DYNAMODB_ENDPOINT: proxy.endpoint });
});

const find = async (query: string, on = reader): Promise<number[]> => {
  const { body } = await on.call('GET', `/rest/bug?include_fields=id&${query}`, { key: KEY });
  return body.bugs.map(({ id }: { id: number }) => id);
};
const change = (id: number, body: object) => writer.call('PUT', `/rest/bug/${id}`, { key: KEY, body });
const coldReader = () => serve(writer.table, { DYNAMODB_ENDPOINT: proxy.endpoint });
const callsOf = async (work: () => Promise<unknown>): Promise<Call[]> => {
  const before = proxy.calls.length;
  await work();
  return proxy.calls.slice(before);
};
const partitionOf = ({ body }: Call): string => String(body.ExpressionAttributeValues?.[':pk']?.S ?? '');

/** The partitions of the items that a call reads by their keys. */
const keysOf = ({ body }: Call): string[] => {
  const batches = Object.values<{ Keys: { pk: { S: string } }[] }>(body.RequestItems ?? {});
  return [...(body.Key === undefined ? [] : [body.Key]), ...batches.flatMap(({ Keys }) => Keys)].map(
    ({ pk }) => pk.S,
  );
};

describe('a function instance that has searched', () => {
  it('reads no bug and no entry again to answer what the index covers', async () => {
    await find('summary=nothing');
    const calls = await callsOf(() => find('summary=nothing'));
    // How groups are in groups, the settings of bugs, the version of the product index, and the caller with the key.
    const others = calls
      .flatMap(keysOf)
      .filter((pk) => !/^(FORMAT|FIELDVALUES|PRODUCTINDEX|APIKEY#.*)$/.test(pk));
    expect(others).toEqual([]);
    expect(calls.filter((call) => partitionOf(call).startsWith('CHANGED#'))).toHaveLength(4);
  });

  it('finds what others have written since', async () => {
    await find('summary=Bug');
    await change(1, { whiteboard: 'needle' });
    expect(await find('whiteboard=needle')).toEqual([1]);
    await change(1, { status: 'RESOLVED', resolution: 'FIXED' });
    expect(await find('whiteboard=needle&status=RESOLVED')).toEqual([1]);
    expect(await find('whiteboard=needle&status=__open__')).toEqual([]);
    await change(1, { product: 'Beta', component: 'Core', version: '1' });
    expect(await find('whiteboard=needle&product=Beta')).toEqual([1]);
    expect(await find('whiteboard=needle&product=Alpha')).toEqual([]);
    const { body } = await writer.call('POST', '/rest/bug', {
      key: KEY,
      body: { product: 'Gamma', component: 'Core', version: '1', summary: 'Created needle' },
    });
    expect(await find('summary=needle')).toEqual([body.id]);
  });

  it('finds a component, and a product, under a new name', async () => {
    await find('component=Core');
    await writer.call('PUT', '/rest/product/3', { key: KEY, body: { name: 'Delta' } });
    expect(await find('product=Gamma')).toEqual([]);
    expect(await find('product=Delta&summary=needle')).toHaveLength(1);
  });

  it('finds what a catalogue brings, though its times are old', async () => {
    await find('summary=Bug');
    const added = { ...catalogue(), products: [], users: [], groups: [], bugs: [] };
    await applyCatalogue(
      writer.table,
      parseCompleteCatalogue({ ...added, bugs: [newBug(1_001), { ...newBug(2), whiteboard: 'applied' }] }),
    );
    expect(await find('summary=Bug 1001')).toEqual([1_001]);
    expect(await find('whiteboard=applied')).toEqual([2]);
  });

  it('finds a change that was dated 20 seconds before it was written, by a clock that is 2 seconds slow', async () => {
    await find('summary=Bug');
    const bug = await readItem(writer.table, bugKey(3), bugItem);
    if (bug === undefined) throw new Error('Bug 3 is missing');
    const time = timestamp(new Date(Date.now() - 22_000));
    const next = { ...bug, whiteboard: 'late', revision: bug.revision + 1, last_change_time: time };
    await transactWrite(writer.table, putBugActions(bug, next, time));
    expect(await find('whiteboard=late')).toEqual([3]);
  });

  it('finds the same as a look at every bug, while bugs change and move', async () => {
    const random = randomNumbers(3);
    const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
    const changes = [
      () => ({ whiteboard: pick(['red', 'green', 'blue']) }),
      () => ({ status: 'RESOLVED', resolution: 'FIXED' }),
      () => ({ status: 'CONFIRMED' }),
      () => ({ product: pick(['Alpha', 'Beta']), component: 'Core', version: '1' }),
      () => ({ comment: { body: 'text' }, priority: pick(['High', 'Low']) }),
    ];
    const all = times(BUGS, (n) => n + 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = times(3, () => change(pick(all) ?? 1, pick(changes)?.() ?? {}));
      const during = find('whiteboard=red&status=__open__');
      await Promise.all(made);
      await during;
      const { body } = await writer.call('GET', `/rest/bug?id=${all.join()}`, { key: KEY });
      const expected = (isMet: (bug: Record<string, unknown>) => boolean) =>
        body.bugs.filter(isMet).map(({ id }: { id: number }) => id);
      expect(await find('whiteboard=red&status=__open__')).toEqual(
        expected(({ whiteboard, is_open }) => whiteboard === 'red' && is_open === true),
      );
      expect(await find('product=Beta&priority=High')).toEqual(
        expected(({ product, priority }) => product === 'Beta' && priority === 'High'),
      );
    }
    await expectNoViolations(writer.table);
  });

  it('finds a person who has no account, by a part of the login', async () => {
    expect(await find('creator=former-coll&limit=2')).toHaveLength(2);
    expect(await find('f1=reporter&o1=equals&v1=Former-Colleague%40example.org&limit=2')).toHaveLength(2);
  });
});

describe('a cold function instance', () => {
  it('finds a bug that is closed, and moves, while it reads segments', async () => {
    await completeIndex(writer.table);
    const cold = await coldReader();
    let changed: Promise<unknown> | undefined;
    decide = ({ body, operation }) => {
      if (operation !== 'BatchGetItem' || !JSON.stringify(body).includes('SEGMENT#')) return 'pass';
      changed ??= change(31, {
        ...{ status: 'RESOLVED', resolution: 'FIXED' },
        ...{ product: 'Beta', component: 'Core', version: '1' },
      });
      return { after: changed };
    };
    expect(await find('summary=Bug 31', cold)).toEqual([31]);
    decide = () => 'pass';
    await changed;
    expect(await find('product=Beta&summary=Bug 31&status=RESOLVED', cold)).toEqual([31]);
    expect(await find('product=Alpha&summary=Bug 31', cold)).toEqual([]);
  });

  it('reads bugs whose texts are too long for segments', async () => {
    const cc = times(60, (n) => `somebody.with.a.long.name.${n}@example.org`);
    const bugs = [{ ...newBug(1_002), cc, whiteboard: 'x'.repeat(9_000), groups: ['insiders'] }];
    await applyCatalogue(
      writer.table,
      parseCompleteCatalogue({ ...catalogue(), products: [], users: [], groups: [], bugs }),
    );
    await completeIndex(writer.table);
    const cold = await coldReader();
    expect(await find('whiteboard=xxx', cold)).toEqual([1_002]);
    expect(await find('cc=name.59', cold)).toEqual([1_002]);
    const { body } = await cold.call('GET', '/rest/bug?summary=Bug 1002&include_fields=cc', { key: KEY });
    expect(body.bugs[0].cc).toHaveLength(60);
    const calls = await callsOf(async () => {
      expect((await cold.call('GET', '/rest/bug?summary=Bug 1002')).body.bugs).toEqual([]);
    });
    // An anonymous caller is on no CC list: the bug is not read.
    expect(calls.filter(({ body }) => JSON.stringify(body).includes('BUG#'))).toEqual([]);
    expect((await cold.call('GET', '/rest/bug?summary=Bug 1002&count_only=1')).body).toEqual({
      bugs: [],
      bug_count: 0,
    });
    // Of the bugs that are ordered by their whiteboards, only this one is read.
    const ordered = await callsOf(async () => {
      expect((await find('summary=Bug&order=status_whiteboard', cold)).at(-1)).toBe(1_002);
    });
    expect(ordered.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(1);
  });
});

it('the order of the last change has a bug that changes between the pages of a search', async () => {
  const cold = await coldReader();
  let changed: Promise<unknown> | undefined;
  const before = await find('order=changeddate%20DESC&limit=3', writer);
  decide = ({ operation }) => {
    if (operation !== 'BatchGetItem') return 'pass';
    changed ??= change(before[1] ?? 0, { whiteboard: 'changed meanwhile' });
    return { after: changed };
  };
  const found = await find('order=changeddate%20DESC&limit=3', cold);
  decide = () => 'pass';
  await changed;
  expect(found).toHaveLength(3);
  expect(found).toContain(before[1]);
});
