import { describe, expect, it } from 'vitest';
import { type Key, tagKey, tagSuffixKeys } from '../../lib/table/keys.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

const MOST = 3_000;
const MORE = 25;

describe('a search that matches 3,000 tags', () => {
  const bugless = useStarted(startBugless);

  /** Only the suffix items of each tag that a search for its first characters reads. */
  async function writeTags(tags: string[]): Promise<void> {
    const items = tags.flatMap((tag): Key[] => [
      { ...tagKey(tag), ...{ tag, uses: 1 } },
      ...tagSuffixKeys(tag).slice(0, 1),
    ]);
    await batchWrite(
      bugless.table,
      items.map((item) => ({ ...item })),
    );
  }
  const search = (text: string) =>
    bugless.call('GET', `/rest/bug/comment/tags/${text}`, { key: keys.tagger });

  it('returns 3,000 tags', async () => {
    await writeTags(times(MOST, (place) => `q${place}`));
    const { status, body } = await search('q');
    expect([status, body.length]).toEqual([200, MOST]);
  });

  it('is refused for more tags, and succeeds when fewer match', async () => {
    await writeTags(times(MORE, (place) => `qq${place}`));
    const { status, body } = await search('q');
    expect([status, body.code]).toEqual([400, 32000]);
    expect(body.message).toContain('3000');
    expect((await search('qq')).body).toHaveLength(MORE);
  });
});
