import { describe, expect, it } from 'vitest';
import { openTable } from '../../lib/table/client.ts';
import { withConsumption } from '../../lib/table/consumption.ts';
import { anyItem, readItem, readItems } from '../../lib/table/read.ts';
import { putItem } from '../../lib/table/write.ts';
import { newTable, useStarted } from '../support/bugless.ts';
import type { Call, Fate } from '../support/fault-proxy.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const keyOf = (number: number) => ({ pk: `item ${number}`, sk: 's' });
const ITEMS = 120;

/** A table with items, through a proxy that injects faults. */
const started = useStarted(async () => {
  let decide: (call: Call) => Fate = () => 'pass';
  const proxy = await useFaultProxy({ decide: (call) => decide(call) });
  const { name } = await newTable();
  const table = openTable(name, proxy.endpoint);
  await Promise.all(times(ITEMS, (number) => putItem(table, { ...keyOf(number), number })));
  let before = 0;
  return {
    table,
    from: (next: (call: Call) => Fate) => {
      before = proxy.calls.length;
      decide = next;
    },
    /** the operations since then, with the numbers of their keys */
    calls: () =>
      proxy.calls.slice(before).map(({ operation, body }) => ({
        operation,
        keys: operation === 'BatchGetItem' ? body.RequestItems[name].Keys.length : 1,
        isConsistent:
          operation === 'BatchGetItem' ? body.RequestItems[name].ConsistentRead : body.ConsistentRead,
      })),
  };
});

const read = async (number: number) => {
  const item = await readItem(started.table, keyOf(number), anyItem);
  return item?.['number'];
};

describe('what a request reads in one tick', () => {
  it('is one call, strongly consistent, each key once', async () => {
    started.from(() => 'pass');
    const [one, again, absent, several] = await withConsumption(() =>
      Promise.all([
        read(1),
        // Where something is awaited before that is there already.
        Promise.resolve().then(() => read(1)),
        read(9_999),
        readItems(started.table, [keyOf(2), keyOf(3), keyOf(2)], anyItem),
      ]),
    );
    expect([one, again, absent]).toEqual([1, 1, undefined]);
    expect(several.map(({ number }) => number)).toEqual([2, 3]);
    expect(started.calls()).toEqual([{ operation: 'BatchGetItem', keys: 4, isConsistent: true }]);
  });

  it('is a GetItem where it is one item', async () => {
    started.from(() => 'pass');
    expect(await withConsumption(() => read(1))).toBe(1);
    expect(started.calls()).toEqual([{ operation: 'GetItem', keys: 1, isConsistent: true }]);
  });

  it('is read again when it is asked for later', async () => {
    await withConsumption(async () => {
      expect(await read(110)).toBe(110);
      await putItem(started.table, { ...keyOf(110), number: 50 });
      expect(await read(110)).toBe(50);
    });
  });

  it('is not read together with what another request reads', async () => {
    started.from(() => 'pass');
    const results = times(3, (number) => withConsumption(() => read(number)));
    expect(await Promise.all(results)).toEqual(times(3, (number) => number));
    expect(started.calls().map(({ operation }) => operation)).toEqual(times(3, () => 'GetItem'));
  });

  it('is divided into batches of 100, which fail by themselves', async () => {
    started.from(({ operation, body }) =>
      operation === 'BatchGetItem' && JSON.stringify(body).includes('"item 119"')
        ? { status: 400, error: 'ValidationException', message: 'refused' }
        : 'pass',
    );
    const results = await withConsumption(() => Promise.allSettled(times(ITEMS, read)));
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed).toHaveLength(ITEMS - 100);
    expect(started.calls().map(({ keys }) => keys)).toEqual([100, ITEMS - 100]);
  });
});

it('keys that DynamoDB leaves unprocessed are read again, without the others', async () => {
  let batches = 0;
  started.from(({ operation }) => {
    if (operation === 'BatchGetItem') batches += 1;
    return batches === 1 ? 'half' : 'pass';
  });
  const numbers = times(8, (number) => number);
  expect(await withConsumption(() => Promise.all(numbers.map(read)))).toEqual(numbers);
  expect(started.calls().map(({ keys }) => keys)).toEqual([8, 4]);
});

it('an item that cannot be parsed fails only those who asked for it', async () => {
  const results = await withConsumption(() =>
    Promise.allSettled([
      readItem(started.table, keyOf(1), {
        parse: () => {
          throw new Error('not this one');
        },
      }),
      read(2),
    ]),
  );
  expect(results).toMatchObject([
    { status: 'rejected', reason: { message: 'not this one' } },
    { status: 'fulfilled', value: 2 },
  ]);
});
