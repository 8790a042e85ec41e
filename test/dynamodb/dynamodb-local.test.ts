import { beforeAll, describe, expect, it } from 'vitest';
import { hasJava, startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { afterFile } from '../support/after-file.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { useDatabase } from '../support/dynamodb-endpoint.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { isTested } from '../support/programs.ts';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

const key = keys.admin;

describe.skipIf(!isTested(hasJava(), 'on DynamoDB Local', 'openjdk-17-jre-headless'))(
  'on DynamoDB Local',
  () => {
    beforeAll(async () => {
      // The other files of the run use the embedded database.
      const database = await startDynamoDbLocal();
      afterFile(() => database.stop());
      afterFile(useDatabase(database.endpoint));
    });

    const { catalogue, groups, keys: recordedKeys } = openRecording('examples');
    for (const { sections, exchanges } of groups) {
      describe(`recorded exchanges: ${sections.join(', ')}`, () => {
        const bugless = useStarted(() => startBugless(catalogue(), RECORDED_SETTINGS));
        replayExchanges(exchanges, recordedKeys, (...request) => bugless.call(...request));
      });
    }

    describe('transactions and conditions', () => {
      const bugless = useStarted(() => startBugless());
      const statusesOf = async (replies: ReturnType<typeof bugless.call>[]) =>
        (await Promise.all(replies)).map(({ status }) => status);

      it('number concurrent comments of a bug without gaps', async () => {
        const before = (await bugless.call('GET', '/rest/bug/1/comment', { key })).body.bugs[1].comments
          .length;
        const texts = times(8, (n) => `at once ${n}`);
        const sent = texts.map((comment) =>
          bugless.call('POST', '/rest/bug/1/comment', { key, body: { comment } }),
        );
        expect(await statusesOf(sent)).toEqual(texts.map(() => 201));
        const { comments } = (await bugless.call('GET', '/rest/bug/1/comment', { key })).body.bugs[1];
        expect(comments.map(({ count }: { count: number }) => count)).toEqual(times(before + 8, (n) => n));
        await expectNoViolations(bugless.table);
      });

      it('give a name of a product to one of those who ask at once', async () => {
        const body = { name: 'Once', description: 'd', version: '1' };
        const statuses = await statusesOf(
          times(4, () => bugless.call('POST', '/rest/product', { key, body })),
        );
        expect(statuses.toSorted()).toEqual([201, 400, 400, 400]);
        await expectNoViolations(bugless.table);
      });
    });

    describe('pages', () => {
      const COMMENTS = 30;
      const bugless = useStarted(() =>
        startBugless(
          parseNumbered({
            products: [aProduct()],
            bugs: [aBug(1, { comments: times(COMMENTS, (n) => aComment(String(n).padEnd(60_000, 'x'))) })],
          }),
        ),
      );

      it('of 1 MB are read to their end', async () => {
        const { body } = await bugless.call('GET', '/rest/bug/1/comment?include_fields=count');
        expect(body.bugs[1].comments).toHaveLength(COMMENTS);
      });
    });
  },
);
