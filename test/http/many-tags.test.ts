import { describe, expect, it } from 'vitest';
import { tagSuffixKeys } from '../../lib/db/keys.ts';
import { inParallel } from '../../lib/db/reading.ts';
import { writeBatch } from '../../lib/db/writing.ts';
import { startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const MOST = 100_000;
const A_BATCH = 25;

/** Takes half a minute, most of it to write the tags: only with `npm run test:long`. */
describe.runIf(process.env['RUNS'] !== undefined)('a search that more than 100,000 tags match', () => {
  it('is refused, and one that fewer match is answered', { timeout: 300_000 }, async () => {
    const bugless = await startBugless();
    const batches = Array.from({ length: MOST / A_BATCH + 1 }, (_, batch) =>
      Array.from({ length: A_BATCH }, (_, at) => `q${batch}_${at}`).flatMap((tag) =>
        tagSuffixKeys(tag).slice(0, 1),
      ),
    );
    await inParallel(batches, (batch) =>
      writeBatch(
        bugless.table,
        batch.map((key) => ({ ...key })),
      ),
    );
    const search = (text: string) =>
      bugless.call('GET', `/rest/bug/comment/tags/${text}`, { key: keys.tagger });
    const { status, body } = await search('q');
    expect([status, body.code]).toEqual([400, 32000]);
    expect(body.message).toContain('100000');
    expect((await search('q1')).status).toBe(200);
  });
});
