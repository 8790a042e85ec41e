import { describe, expect, it } from 'vitest';
import { startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { expectConsistentTagSearch, search } from '../support/tags.ts';
import { times } from '../support/times.ts';

const bugless = useStarted(startBuglessWithConflicts);

const setTags = (comment: number, change: { add?: string[]; remove?: string[] }) =>
  bugless.call('PUT', `/rest/bug/comment/${comment}/tags`, { key: keys.tagger, body: change });

/** Changes tags, and asserts that the response agrees with the request. */
async function changeTags(comment: number, change: { add?: string[]; remove?: string[] }): Promise<void> {
  const { status, body } = await setTags(comment, change);
  expect(status).toBe(200);
  const answered = body.map((tag: string) => tag.toLowerCase());
  for (const tag of change.remove ?? []) expect(answered).not.toContain(tag.toLowerCase());
  for (const tag of change.add ?? []) {
    if (!change.remove?.includes(tag)) expect(answered).toContain(tag.toLowerCase());
  }
}

describe('concurrent changes of tags', () => {
  const CLIENTS = 6;
  const inUse = ['contended', 'CONTENDED', 'shared-tag', 'Łódź.tag', 'tag_four', 'İstanbul'];
  const tagOf = (number: number) => inUse[number % inUse.length] ?? '';

  it('of one comment keep the tag search consistent', async () => {
    const client = async (number: number) => {
      await changeTags(46, { add: [tagOf(number), tagOf(number + 2)] });
      await changeTags(46, { remove: [tagOf(number)] });
      if (number % 3 === 0) await changeTags(46, { add: [tagOf(number)] });
    };
    await Promise.all(times(CLIENTS, client));
    await expectNoViolations(bugless.table);
    for (const text of ['contended', 'tag', 'Ł', 'i̇', 's']) await expectConsistentTagSearch(bugless, text);
  });

  it('of several comments keep the tag search consistent', async () => {
    const client = async (number: number) => {
      const comment = 50 + number;
      await changeTags(comment, { add: [tagOf(number), 'on-all'] });
      await changeTags(comment, { add: ['ON-ALL'], remove: [tagOf(number)] });
      if (number % 2 === 0) await changeTags(comment, { remove: ['on-all'] });
    };
    await Promise.all(times(CLIENTS, client));
    await expectNoViolations(bugless.table);
    expect(await search(bugless, 'on-all')).toHaveLength(1);
    for (const text of ['all', 'tag', 'o', '.t']) await expectConsistentTagSearch(bugless, text);
  });

  it('leave no items of tags that are removed from all comments', async () => {
    const client = async (number: number) => {
      const comment = 50 + (number % 5);
      await changeTags(comment, { add: ['fleeting'] });
      await changeTags(comment, { remove: ['FLEETING'] });
    };
    await Promise.all(times(CLIENTS, client));
    expect(await search(bugless, 'fleeting')).toEqual([]);
    await expectNoViolations(bugless.table);
  });
});

describe('a change of more tags than fit into one transaction', () => {
  const longTags = times(40, (n) => `${String(n).padStart(2, '0')}-twenty-four-letters.x`);
  const manyTags = times(59, (n) => `many-${n}`);

  it('counts 40 new tags of 24 characters', async () => {
    expect(new Set(longTags.map(({ length }) => length))).toEqual(new Set([24]));
    const { status, body } = await setTags(20, { add: longTags });
    expect([status, body]).toEqual([200, longTags]);
    expect(await search(bugless, 'four-letters.x')).toEqual(longTags);
    await expectNoViolations(bugless.table);
  });

  it('counts 59 new tags and 40 existing ones, as many as one request can change', async () => {
    const { status, body } = await setTags(19, { add: [...manyTags, ...longTags] });
    expect([status, body.length]).toEqual([200, 99]);
    expect(await search(bugless, 'many-')).toHaveLength(59);
    await expectNoViolations(bugless.table);
  });

  it('removes 59 tags and all of their items', async () => {
    const { status, body } = await setTags(19, { remove: manyTags });
    expect([status, body]).toEqual([200, longTags]);
    expect(await search(bugless, 'many-')).toEqual([]);
    await expectNoViolations(bugless.table);
  });

  it('beyond the limit is refused with 400, and changes nothing', async () => {
    const { status, body } = await setTags(18, { add: times(100, (n) => `too-many-${n}`) });
    expect([status, body.code]).toEqual([400, 32000]);
    expect(await search(bugless, 'too-many')).toEqual([]);
    await expectNoViolations(bugless.table);
  });

  it('keeps counts correct during concurrent changes of the same and other comments', async () => {
    const shared = times(30, (n) => `wide-tag-number-${n}`);
    const client = async (number: number) => {
      await changeTags(2 + (number % 2), { add: shared });
      await search(bugless, 'wide-tag');
      if (number % 2 === 0) await changeTags(2, { remove: shared.slice(0, 15) });
    };
    await Promise.all(times(4, client));
    await expectNoViolations(bugless.table);
    await expectConsistentTagSearch(bugless, 'wide-tag');
  });
});
