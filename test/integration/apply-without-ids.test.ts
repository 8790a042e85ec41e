import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { updateItem } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

const bug = (number: number, more: object = {}) =>
  aBug(undefined, {
    summary: `Bug ${number}`,
    comments: [aComment(`text ${number}`), aComment('next')],
    ...more,
  });
const fileOf = (...bugs: object[]) => parseCatalogue({ products: [aProduct()], bugs });
const three = times(3, (number) => bug(number));

const idsIn = async (table: Table): Promise<[number, string, number[]][]> => {
  const { bugs } = await exportedCatalogue(table);
  return bugs
    .map(({ id, summary, comments }: { id: number; summary: string; comments: { id: number }[] }) => [
      id,
      summary,
      comments.map((comment) => comment.id),
    ])
    .sort(([a]: number[], [b]: number[]) => Number(a) - Number(b));
};

it('bugs and comments without ids get the next ones in the order of the file', async () => {
  const table = await newTable(fileOf(aBug(6, { comments: [aComment('first', { id: 20 })] })));
  await applyCatalogue(table, fileOf(...three));
  expect(await idsIn(table)).toEqual([
    [6, 'Bug 6', [20]],
    [7, 'Bug 0', [21, 22]],
    [8, 'Bug 1', [23, 24]],
    [9, 'Bug 2', [25, 26]],
  ]);
  await expectNoViolations(table);
});

it.each([
  { what: 'more bugs', now: [...three, bug(3)], added: 1 },
  { what: 'fewer bugs', now: three.slice(1), added: 0 },
  { what: 'other values', now: three.map((one) => ({ ...one, priority: 'High' })), added: 0 },
  { what: 'more comments', now: [bug(0, { comments: [...bug(0).comments, aComment('more')] })], added: 0 },
  { what: 'another summary', now: [bug(0, { summary: 'Other' }), ...three.slice(1)], added: 1 },
  { what: 'an alias', now: [bug(0, { aliases: ['zero'] }), ...three.slice(1)], added: 0 },
])('bugs without ids are recognized when the file has $what', async ({ now, added }) => {
  const table = await newTable(fileOf(...three));
  const before = await idsIn(table);
  for (const expected of [added, 0]) {
    const { bugs } = await applyCatalogue(table, fileOf(...now));
    expect(bugs.added).toBe(expected);
  }
  const ids = (await idsIn(table)).map(([id]) => id);
  expect(ids).toEqual(expect.arrayContaining(before.map(([id]) => id)));
  expect(ids).toHaveLength(before.length + added);
  await expectNoViolations(table);
});

it('a bug without id is recognized by the same file when it has another summary in the table', async () => {
  const table = await newTable();
  await applyCatalogue(table, fileOf(...three));
  const [[id = 0] = []] = await idsIn(table);
  await updateItem(table, { update: bugKey(id), set: 'SET summary = :s', values: { ':s': 'Renamed' } });
  const { bugs } = await applyCatalogue(table, fileOf(...three));
  expect(bugs).toEqual({ added: 0, changed: 1, unchanged: 2 });
});

it('runs at the same time of a file without ids write each bug once', async () => {
  const table = await newTable(fileOf());
  const runs = await Promise.allSettled(times(4, () => applyCatalogue(table, fileOf(...three))));
  for (const run of runs) if (run.status === 'rejected') expect(run.reason).toBeInstanceOf(ConditionFailed);
  await applyCatalogue(table, fileOf(...three));
  expect((await idsIn(table)).map(([, summary]) => summary).sort()).toEqual(['Bug 0', 'Bug 1', 'Bug 2']);
  await expectNoViolations(table);
});
