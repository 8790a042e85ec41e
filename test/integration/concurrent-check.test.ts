import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { aliasKey, bugKey, type Key, tagKey } from '../../lib/dynamodb/keys.ts';
import { putItem } from '../../lib/dynamodb/write.ts';
import { people, smallTracker } from '../faults/tracker.ts';
import { runWorkload } from '../faults/workload.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { wrongsOf } from '../support/integrity.ts';

const OPERATIONS = 150;
const everybody = people(12);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

/** Checks the table again and again while people work, and tells what was found each time. */
async function checkedMeanwhile(bugless: Bugless): Promise<string[][]> {
  let isOver = false;
  const work = runWorkload(bugless.call, everybody, OPERATIONS, seed).finally(() => {
    isOver = true;
  });
  const found: string[][] = [];
  while (!isOver) found.push(await wrongsOf(bugless.table));
  expect((await work).surprises).toEqual([]);
  return found;
}

it(`a table that is whole is found so while people work with it (seed ${seed})`, async () => {
  const found = await checkedMeanwhile(await startBugless(smallTracker(everybody)));
  expect(found.length).toBeGreaterThan(3);
  expect(found.flat()).toEqual([]);
});

it(`what is wrong is found while people work with just that (seed ${seed})`, async () => {
  const bugless = await startBugless(smallTracker(everybody));
  const { client, name } = bugless.table;
  const add = (key: Key, field: string, by: number) =>
    client.send(
      new UpdateCommand({
        TableName: name,
        Key: { ...key },
        UpdateExpression: 'ADD #field :by',
        ExpressionAttributeNames: { '#field': field },
        ExpressionAttributeValues: { ':by': by },
      }),
    );
  const tags = { key: everybody[0]?.key, body: { add: ['spam'] } };
  await bugless.call('PUT', '/rest/bug/comment/1/tags', tags);
  await add(tagKey('spam'), 'uses', 500);
  await add(bugKey(1), 'hours_worked', 77);
  await putItem(bugless.table, { ...aliasKey('nobody'), bug_id: 1 });
  const found = (await checkedMeanwhile(bugless)).flat();
  expect(found).toContainEqual(expect.stringMatching(/^TAG#spam TAG: it is on /));
  expect(found).toContainEqual(expect.stringMatching(/^BUG#1 BUG: it says /));
  expect(found).toContainEqual('ALIAS#nobody ALIAS: it leads to bug 1, which does not have it');
});
