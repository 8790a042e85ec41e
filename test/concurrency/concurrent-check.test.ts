import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { aliasKey, bugKey, type Key, tagKey } from '../../lib/table/keys.ts';
import { putItem } from '../../lib/table/write.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { violationsOf } from '../support/integrity.ts';
import { isLong } from '../support/sample.ts';
import { newTracker, newUsers } from '../support/workload/tracker.ts';
import { Workload } from '../support/workload/workload.ts';

const OPERATIONS_OF_A_USER = isLong ? 8 : 4;
/** Checks that run beside them at least. */
const MIN_CHECKS = isLong ? 4 : 2;
const BUGS = 6;
const users = newUsers(isLong ? 6 : 3);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

/** Repeats the check during a workload. @returns the violations of each run */
async function checkDuringWorkload(bugless: Bugless): Promise<string[][]> {
  let isOver = false;
  const workload = new Workload(bugless.call, users, BUGS, seed);
  const found: string[][] = [];
  const work = workload
    .run(users.length, (done) => done < OPERATIONS_OF_A_USER || found.length < MIN_CHECKS)
    .finally(() => {
      isOver = true;
    });
  while (!isOver) found.push(await violationsOf(bugless.table));
  await work;
  expect(workload.ledger.violations).toEqual([]);
  return found;
}

it(`the check finds no violations in a valid table during concurrent writes (seed ${seed})`, async () => {
  const found = await checkDuringWorkload(await startBugless(newTracker(users, BUGS)));
  expect(found.length).toBeGreaterThanOrEqual(MIN_CHECKS);
  expect(found.flat()).toEqual([]);
});

it(`the check finds violations in items that are written concurrently (seed ${seed})`, async () => {
  const bugless = await startBugless(newTracker(users, BUGS));
  const { client, name } = bugless.table;
  const add = (key: Key, field: string, by: number) =>
    client.send(
      new UpdateCommand({
        TableName: name,
        Key: key,
        UpdateExpression: 'ADD #field :by',
        ExpressionAttributeNames: { '#field': field },
        ExpressionAttributeValues: { ':by': by },
      }),
    );
  const tags = { key: users[0]?.key, body: { add: ['spam'] } };
  await bugless.call('PUT', '/rest/bug/comment/1/tags', tags);
  await add(tagKey('spam'), 'uses', 500);
  await add(bugKey(1), 'hours_worked', 77);
  await putItem(bugless.table, { ...aliasKey('stray'), bug_id: 1 });
  const found = (await checkDuringWorkload(bugless)).flat();
  expect(found).toContainEqual(expect.stringMatching(/^TAG#spam TAG: is on /));
  expect(found).toContainEqual(expect.stringMatching(/^BUG#1 BUG: has totals of /));
  expect(found).toContainEqual(expect.stringMatching(/^ALIAS#stray ALIAS: points to BUG#1 BUG, which has /));
});
