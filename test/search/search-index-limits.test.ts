import { expect, it } from 'vitest';
import { timestamp } from '../../lib/base/time.ts';
import { changeEntry, changeLogItem } from '../../lib/bugs/change-log/change-log.ts';
import { wordIndex } from '../../lib/bugs/comments/word-index.ts';
import { type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { putBugActions } from '../../lib/bugs/store/write-bug.ts';
import { fieldCondition } from '../../lib/search/conditions/field-condition.ts';
import { readFullText } from '../../lib/search/conditions/full-text.ts';
import { indexTermsOf, readWordCandidates } from '../../lib/search/conditions/word-candidates.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey, changedKey, commentKey, packedWordKey, wordKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite, deleteItem, transactWrite } from '../../lib/table/write.ts';
import { serve, startBugless, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';
import { SEARCH_CONTEXT } from '../support/searched-bugs.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

/** Searches for what stands at the limits of the search index and of the word index. */

const KEY = 'A'.repeat(40);
const ADMIN = 'admin@example.com';
const REPORTER_KEY = 'R'.repeat(40);
const GROUPS = times(5, (n) => `${'g'.repeat(250)}${n}`);

const newBug = aBug;
const comment = (text: string) => aComment(text, { creator: ADMIN });

const BASE = {
  groups: ['editbugs', 'insiders', ...GROUPS].map((name) => ({ name })),
  users: [
    { login: ADMIN, groups: ['editbugs', 'insiders', ...GROUPS], api_keys: [{ key: KEY }] },
    { login: REPORTER, api_keys: [{ key: REPORTER_KEY }] },
  ],
  products: [aProduct()],
};

const bugless = useStarted(() =>
  startBugless(
    parseCompleteCatalogue({
      ...BASE,
      bugs: [
        newBug(1, { summary: 'Left', comments: [comment('right')] }),
        newBug(2, { comments: [comment('one 𠮷𠮷abc here')] }),
        newBug(3, { groups: GROUPS, is_creator_accessible: false, priority: 'High' }),
        newBug(4, { depends_on: [2, 1] }),
        newBug(5, { depends_on: [1] }),
        newBug(6, { depends_on: [3, 5] }),
        newBug(7),
        newBug(8),
      ],
    }),
  ),
);

const search = (query: string, key = KEY) => bugless.call('GET', `/rest/bug?${query}`, { key });
const find = async (query: string, key = KEY): Promise<number[]> => {
  const { status, body } = await search(`include_fields=id&${query}`, key);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.bugs.map(({ id }: { id: number }) => id);
};
const storedBug = async (id: number): Promise<BugItem> => {
  const bug = await readItem(bugless.table, bugKey(id), bugItem);
  if (bug === undefined) throw new Error(`Bug ${id} is missing`);
  return bug;
};

it('a word that is too long for a key is not looked up', async () => {
  const format = { requireConverted: async () => undefined };
  const unreachable = { name: 'none', retryTimeoutMs: 0, format } as unknown as Table;
  const pages = wordIndex(unreachable).find(`@${'x'.repeat(3_000)}`, true);
  expect(await pages.next()).toEqual({ done: true, value: undefined });
});

it('the full text has what the summary or the comments have, not what both have together', async () => {
  expect(await find('f1=content&o1=matches&v1=left nowhere')).toEqual([1]);
  expect(await find('f1=content&o1=matches&v1=right nowhere')).toEqual([1]);
  expect(await find('f1=content&o1=matches&v1=%2Bleft %2Bright')).toEqual([]);
  expect((await search('f1=content&o1=allwords&v1=left right')).status).toBe(400);
});

it('letters beyond the 16-bit ones belong to words', async () => {
  expect(await find('f1=longdesc&o1=anywords&v1=abc')).toEqual([]);
  expect(await find('f1=longdesc&o1=anywords&v1=abc&f2=longdesc&o2=regexp&v2=here')).toEqual([]);
  expect(await find(`f1=longdesc&o1=substring&v1=${encodeURIComponent('one 𠮷𠮷')}`)).toEqual([2]);
});

it('a bug whose groups fill its entry is found by its fields, and hidden as it says', async () => {
  expect(await find('priority=High')).toEqual([3]);
  expect(await find('priority=High', REPORTER_KEY)).toEqual([]);
  const visible = await find('status=CONFIRMED', REPORTER_KEY);
  expect(visible).not.toContain(3);
  const { body } = await search('status=CONFIRMED&count_only=1', REPORTER_KEY);
  expect(body).toEqual({ bugs: [], bug_count: visible.length });
  expect(await find('f1=creation_ts&o1=changedafter&v1=2024-01-01&priority=High')).toEqual([3]);
});

it('orders lists of bugs by their first', async () => {
  expect(await find('order=dependson&f1=dependson&o1=isnotempty')).toEqual([4, 5, 6]);
  expect(await find('order=dependson DESC&f1=dependson&o1=isnotempty')).toEqual([6, 4, 5]);
});

it('a change may set the time of the last change back within the same second', async () => {
  const now = timestamp(new Date());
  const bug = await storedBug(7);
  const changed = { ...bug, last_change_time: now, revision: bug.revision + 1 };
  await transactWrite(bugless.table, putBugActions(bug, changed, now));
  const back = { ...bug, whiteboard: 'back', revision: changed.revision + 1 };
  await transactWrite(bugless.table, putBugActions(changed, back, now));
  expect(await find('whiteboard=back')).toEqual([7]);
});

it('finds a change whose entry is superseded by another one that is not visible yet', async () => {
  await find('summary=Bug');
  const bug = await storedBug(8);
  const [first, second] = [1_000, 0].map((ago) => timestamp(new Date(Date.now() - ago)));
  const one = { ...bug, whiteboard: 'first', revision: bug.revision + 1, last_change_time: first ?? '' };
  await transactWrite(bugless.table, putBugActions(bug, one, one.last_change_time));
  const two = { ...one, revision: one.revision + 1, last_change_time: second ?? '' };
  await transactWrite(bugless.table, putBugActions(one, two, two.last_change_time));
  await deleteItem(bugless.table, changedKey(8, two.last_change_time));
  expect(await find('whiteboard=first')).toEqual([8]);
});

it('a phrase of many words is looked up by a few of them', () => {
  const phrase = times(1_500, (n) => `w${n}`).join(' ');
  expect(indexTermsOf('longdesc', 'matches', [phrase])).toEqual([times(8, (n) => `w${1_000 + n}`)]);
  expect(readFullText(`"${phrase}"`, () => undefined)?.indexTerms).toEqual([
    times(8, (n) => `w${1_000 + n}`),
  ]);
});

it('of a phrase those words are read whole that few bugs have', async () => {
  const pagesOf: Record<string, number> = {};
  const posting = (bug: number) => ({ pk: '', sk: '', bug_id: bug, comment: `COMMENT#${bug}` });
  const words = {
    ...wordIndex(bugless.table),
    async *find(word: string) {
      const bugs = { common: 150_000, frequent: 99_000, rare: 3, unknown: 0 }[word] ?? 0;
      for (let bug = 0; bug < bugs; bug += 4_000) {
        pagesOf[word] = (pagesOf[word] ?? 0) + 1;
        yield times(Math.min(4_000, bugs - bug), (n) => posting(bug + n));
      }
    },
  };
  const bugsWith = async (text: string) => {
    const condition = fieldCondition('content', 'matches', text, SEARCH_CONTEXT);
    const wordCandidates = await readWordCandidates(condition ?? { all: [] }, words, true, () => undefined);
    return [...wordCandidates.values()].map((bugs) => [...bugs.keys()]);
  };
  expect(await bugsWith('+common +frequent +rare')).toEqual([[0, 1, 2]]);
  expect(pagesOf).toEqual({ common: 2, frequent: 2, rare: 1 });
  expect(await bugsWith('+common +unknown')).toEqual([[]]);
  expect((await bugsWith('frequent')).map(({ length }) => length)).toEqual([99_000]);
  expect((await bugsWith('+common +frequent')).map(({ length }) => length)).toEqual([99_000]);
  await expect(bugsWith('common')).rejects.toThrow('100000 bugs with the word');
});

it('words with more than 100,000 hits together are refused to callers without a key', async () => {
  const items = ['abundant', 'plentiful'].flatMap((word) =>
    times(101, (at) => ({
      ...packedWordKey(wordKey(word, 0, false), `${at}`),
      packed: times(500, (n) => `${1_000_000 + at * 500 + n} COMMENT#`).join('\n'),
    })),
  );
  await batchWrite(bugless.table, items);
  const statusOf = async (words: string, key?: string) => {
    const query = `quicksearch=${encodeURIComponent(words)}&limit=20`;
    return (await bugless.call('GET', `/rest/bug?${query}`, { key })).status;
  };
  expect(await statusOf('abundant')).toBe(200);
  expect(await statusOf('abundant plentiful')).toBe(400);
  expect(await statusOf('abundant plentiful', KEY)).toBe(200);
});

it('comments that the index names count by their length against what callers without a key may read', async () => {
  // 47 units of 4 KB.
  const long = `voluminous ${'—'.repeat(64_000)}`;
  const bugs = times(70, (n) => newBug(n + 1, { comments: [comment('voluminous')] }));
  const other = await startBugless(parseCompleteCatalogue({ ...BASE, bugs }));
  const comments = (await allItems(other.table)).filter(({ sk }) => sk.startsWith('COMMENT#'));
  expect(comments).toHaveLength(70);
  await batchWrite(
    other.table,
    comments.map((one) => ({ ...one, text: long })),
  );
  const statusOf = async (limit: number, key?: string) => {
    const query = `f1=longdesc&o1=anywords&v1=voluminous&include_fields=id&limit=${limit}`;
    return (await other.call('GET', `/rest/bug?${query}`, { key })).status;
  };
  expect(await statusOf(60)).toBe(200);
  expect(await statusOf(70)).toBe(400);
  expect(await statusOf(70, KEY)).toBe(200);
});

it('a final sigma is a sigma, in words of comments and in parts of texts', async () => {
  const text = 'ΟΔΟΣ.Α then ΛΟΓΟΣ then more';
  const body = { comment: text };
  await bugless.call('POST', '/rest/bug/5/comment', { key: KEY, body });
  const encoded = (part: string) => encodeURIComponent(part);
  for (const query of [
    `f1=content&o1=matches&v1=${encoded('λογοσ')}`,
    `f1=longdesc&o1=anywords&v1=${encoded('λόγος λογος')}`,
    `f1=longdesc&o1=substring&v1=${encoded('Then λογοσ THEN')}`,
    `f1=longdesc&o1=casesubstring&v1=${encoded('Α then ΛΟΓΟΣ t')}`,
    `f1=longdesc&o1=allwords&v1=${encoded('οδος λογος')}`,
    `quicksearch=${encoded('οδος')}`,
  ]) {
    expect(await find(query), query).toEqual([5]);
  }
});

it('the entry of a change expires when a comment changes the bug again', async () => {
  const { last_change_time, logged_at = last_change_time } = await storedBug(2);
  await bugless.call('POST', '/rest/bug/2/comment', { key: KEY, body: { comment: 'again' } });
  const { last_change_time: changed } = await storedBug(2);
  const entry = (time: string) => readItem(bugless.table, changedKey(2, time), changeLogItem);
  expect(await entry(logged_at)).toMatchObject({
    expires_at: Math.floor(Date.parse(changed) / 1_000) + 86_400,
  });
  expect((await entry(changed))?.expires_at).toBeUndefined();
  expect(await find('order=changeddate DESC&limit=1')).toEqual([2]);
});

it('private comments do not count against the bound of those who may not see them', async () => {
  const bug = await storedBug(8);
  const text = 'x'.repeat(360_000);
  const hidden = times(45, (n) => ({
    ...comment(text),
    ...{ id: 10_000 + n, bug_id: 8, count: bug.comment_count + n, is_private: true },
    ...{ attachment_id: null, work_time: 0, tags: [] },
  }));
  await batchWrite(
    bugless.table,
    hidden.map((one) => ({ ...commentKey(one), ...one })),
  );
  const query = 'include_fields=id&f1=longdesc&o1=substring&v1=zzz&id=8';
  expect((await search(query, REPORTER_KEY)).body).toEqual({ bugs: [] });
  expect((await search(query)).body.message).toMatch('16 MB of comments');
  await Promise.all(hidden.map((one) => deleteItem(bugless.table, commentKey(one))));
});

it('hidden bugs are not read, and those that the caller takes part in are found', async () => {
  const proxy = await useFaultProxy();
  const logged_at = timestamp(new Date());
  const hidden = { ...(await storedBug(3)), logged_at, cc: times(60, (n) => `somebody.${n}@example.org`) };
  const shared = { ...hidden, cc: [...hidden.cc, REPORTER], status: 'IN_PROGRESS' };
  const bugs = times(300, (n) => ({ ...(n === 0 ? shared : hidden), id: 20_000 + n }));
  await batchWrite(
    bugless.table,
    bugs.flatMap((bug) => {
      const { key, content } = changeEntry(bug);
      return [
        { ...bugKey(bug.id), ...bug },
        { ...key, ...content },
      ];
    }),
  );
  await completeIndex(bugless.table);
  const cold = await serve(bugless.table, { DYNAMODB_ENDPOINT: proxy.endpoint });
  const visible = [1, 2, 4, 5, 6, 7, 8];
  for (const query of ['order=bug_id', 'order=cc,bug_id', 'order=whiteboard,bug_id', 'order=changeddate']) {
    const before = proxy.calls.length;
    const { body } = await cold.call('GET', `/rest/bug?include_fields=id&${query}`, { key: REPORTER_KEY });
    const found = body.bugs?.map(({ id }: { id: number }) => id);
    expect(new Set(found), query).toEqual(new Set([...visible, 20_000]));
    const reads = proxy.calls.slice(before).filter(({ operation }) => operation === 'BatchGetItem');
    expect(JSON.stringify(reads), query).not.toContain('BUG#');
  }
});
