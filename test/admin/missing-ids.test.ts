import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { adminOf } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';

const settings = { products: [aProduct()] };
const HOW = 'give each of a kind an id of its own, and new ones above those of the table';
const withoutId = aBug(undefined, { comments: [aComment('one'), aComment('two')] });
const withId = aBug(3, { comments: [aComment('one', { id: 3 })] });
const linesOf = (...bugs: object[]) =>
  [settings, ...bugs.map((bug) => ({ bug }))].map((line) => JSON.stringify(line)).join('\n');

it.each([
  [
    'a bug and its comments in an object',
    JSON.stringify({ ...settings, bugs: [withId, withoutId] }),
    `$.bugs[1].id: is missing, and so are 2 others: ${HOW}`,
  ],
  [
    'a bug and its comments in lines',
    linesOf(withId, withoutId, withoutId),
    `line 3, $.bug.id: is missing, and so are 5 others: ${HOW}`,
  ],
  [
    'one comment',
    linesOf({ ...withId, comments: [...withId.comments, aComment('two')] }),
    `line 2, $.bug.comments[1].id: is missing: ${HOW}`,
  ],
  [
    'a flag',
    linesOf({ ...withId, flags: [{ type_id: 1, name: 'f', status: '+', setter: 'a@example.com' }] }),
    `line 2, $.bug.flags[0].id: is missing: ${HOW}`,
  ],
])('a file without the id of %s is refused, and nothing is written', async (_, content, expected) => {
  const table = await newTable();
  await inNewFolder(async (folder) => {
    const file = join(folder, 'catalogue');
    await writeFile(file, content);
    const { code, stderr } = await adminOf(table)('apply', file);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(expected) });
  });
  expect((await exportedCatalogue(table)).products).toEqual([]);
});
