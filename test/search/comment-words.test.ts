import { beforeAll, describe, expect, it } from 'vitest';
import { checkTable, isViolation, repairTable } from '../../infra/admin/check/check-table.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { wordKey } from '../../lib/table/keys.ts';
import { deleteItem, putItem } from '../../lib/table/write.ts';
import { type Bugless, newTable, serve, startBugless, useStarted } from '../support/bugless.ts';
import { clientOf, FILE } from '../support/client.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { indexCopies } from '../support/index-copies.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { isLong } from '../support/sample.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

/** Searches for words of comments. */

const KEYS = { insider: 'I'.repeat(40), plain: 'P'.repeat(40) };
const INSIDER = 'insider@example.com';
const PLAIN = 'plain@example.com';
const LONG = times(2_050, (n) => `distinct${n}`).join(' ');

const catalogue = () =>
  parseCompleteCatalogue({
    groups: ['insiders', 'editbugs'].map((name) => ({ name })),
    users: [
      { login: INSIDER, groups: ['insiders', 'editbugs'], api_keys: [{ key: KEYS.insider }] },
      { login: PLAIN, groups: ['editbugs'], api_keys: [{ key: KEYS.plain }] },
    ],
    products: [aProduct()],
    bugs: times(60, (n) =>
      aBug(n + 1, {
        summary: 'Something',
        comments: [aComment(n === 6 ? 'A zeppelin in the description' : 'Common text')],
      }),
    ),
  });

const bugless = useStarted(() => startBugless(catalogue()));

type As = keyof typeof KEYS;
const find = async (query: string, as: As = 'plain', on = bugless): Promise<number[]> => {
  const { status, body } = await on.call('GET', `/rest/bug?include_fields=id&${query}`, { key: KEYS[as] });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.bugs.map(({ id }: { id: number }) => id);
};
const comment = async (bug: number, text: string, as: As = 'plain', isPrivate = false): Promise<number> => {
  const body = { comment: text, is_private: isPrivate };
  return (await bugless.call('POST', `/rest/bug/${bug}/comment`, { key: KEYS[as], body })).body.id;
};
const content = (text: string) => `f1=content&o1=matches&v1=${encodeURIComponent(text)}`;

describe('a word of a comment', () => {
  it('is found by quicksearch, as content and as a word of comments, in any case', async () => {
    await comment(2, 'It crashes near the Żółw_turtle.');
    for (const query of [
      'quicksearch=CRASHES',
      content('crashes'),
      content('"near the żółw_turtle"'),
      'f1=longdesc&o1=anywords&v1=nothing turtle',
      'f1=longdesc&o1=allwords&v1=turtle crashes',
      'f1=longdesc&o1=substring&v1=it crashes n',
    ]) {
      expect(await find(query), query).toEqual([2]);
    }
    expect(await find(content('crash'))).toEqual([]);
    expect(await find(content('"turtle near"'))).toEqual([]);
  });

  it('is found wherever the comment came from', async () => {
    const { create, done } = clientOf(bugless, new Map(Object.entries(KEYS)), 'plain');
    const id = await create({ component: 'Core', version: '1', description: 'yonder' });
    const comment = { body: 'yonder' };
    await done('PUT', '/rest/bug/3', { comment });
    await done('PUT', '/rest/bug/4', { ids: [4, 5], whiteboard: 'w', comment });
    await done('POST', '/rest/bug/6/attachment', { ...FILE, ids: [6], comment: 'yonder' });
    expect(await find(content('yonder'))).toEqual([3, 4, 5, 6, id]);
    expect(await find(content('zeppelin'))).toEqual([7]);
  });

  it('is found in each of many comments that are written at once', async () => {
    await Promise.all(times(20, (n) => comment(8, `concurrent${n}`)));
    for (const n of [0, 7, 19]) expect(await find(content(`concurrent${n}`))).toEqual([8]);
    await expectNoViolations(bugless.table);
  });

  it('is found in a comment with more words than the index takes', async () => {
    await comment(9, LONG);
    expect(await find(content('distinct3'))).toEqual([9]);
    expect(await find(content('distinct2049'))).toEqual([9]);
  });

  it('is not found where the request failed after its words were written', async () => {
    await putItem(bugless.table, { ...wordKey('phantom', 10, false), bug_id: 10, comment: 'COMMENT#never' });
    expect(await find(content('phantom'))).toEqual([]);
    expect(await find('quicksearch=phantom')).toEqual([]);
  });

  it('that nearly every comment has, or that is short, is sought in summaries only', async () => {
    await comment(11, 'this is of no use');
    expect(await find('quicksearch=this&limit=3')).toEqual([]);
    expect(await find(content('no'))).toEqual([]);
    expect(await find(content('"no use"'))).toEqual([11]);
  });
});

describe('a word of a private comment', () => {
  it('is found by insiders only, until it is public', async () => {
    const id = await comment(20, 'clandestine', 'insider', true);
    for (const query of [
      'quicksearch=clandestine',
      content('clandestine'),
      `${content('clandestine')}&n1=1`,
    ]) {
      const found = [await find(query, 'insider'), await find(query, 'plain')];
      expect(found.map((ids) => ids.includes(20))).toEqual(
        query.endsWith('n1=1') ? [false, true] : [true, false],
      );
    }
    const publish = { comment_is_private: { [id]: false } };
    await bugless.call('PUT', '/rest/bug/20', { key: KEYS.insider, body: publish });
    expect(await find(content('clandestine'), 'plain')).toEqual([20]);
  });

  it('is found by insiders in a comment that became private', async () => {
    const id = await comment(21, 'withdrawn');
    await bugless.call('PUT', '/rest/bug/21', {
      key: KEYS.insider,
      body: { comment_is_private: { [id]: true } },
    });
    expect(await find(content('withdrawn'), 'insider')).toEqual([21]);
    expect(await find(content('withdrawn'), 'plain')).toEqual([]);
  });

  it('is found in a public comment that was added later', async () => {
    await comment(22, 'twofold', 'insider', true);
    await comment(22, 'twofold');
    expect(await find(content('twofold'), 'plain')).toEqual([22]);
  });
});

it('a commenter is found by the login, private comments for insiders only', async () => {
  await comment(30, 'by an insider', 'insider');
  await comment(31, 'by an insider', 'insider', true);
  const query = 'f1=commenter&o1=equals&v1=Insider%40example.com&f2=bug_id&o2=greaterthan&v2=25';
  expect(await find(query, 'insider')).toEqual([30, 31]);
  expect(await find(query, 'plain')).toEqual([30]);
});

describe('the words of bugs that a catalogue brings', () => {
  const WORDS = ['everywhere', ...times(30, (n) => `sometimes${n}`)];
  /** Every bug has the first word, and every third one in a private comment only. */
  const bugs = times(90, (n) =>
    aBug(5_001 + n, {
      comments: [
        aComment(`some${n} ${WORDS[1 + (n % 30)]}`),
        aComment(WORDS[0], { is_private: n % 3 === 0 }),
      ],
    }),
  );
  const insiders = bugs.map(({ id }) => id);
  const everybody = insiders.filter((_, n) => n % 3 !== 0);
  let small: Bugless;
  const ofWord = async () =>
    (await allItems(small.table)).filter(({ pk }) => pk === `WORD#${WORDS[0]}`).map(({ sk }) => sk);
  const found = (text: string, as: As = 'plain') => find(content(text), as, small);

  beforeAll(async () => {
    small = await startBugless({ ...catalogue(), bugs: parseNumbered({ bugs }).bugs });
  });

  it('share items, by which they are found, private ones by insiders only', async () => {
    expect(await ofWord()).toHaveLength(2);
    expect(await found('everywhere')).toEqual(everybody);
    expect(await found('everywhere', 'insider')).toEqual(insiders);
    expect(await found('sometimes7')).toEqual([5_008, 5_038, 5_068]);
    expect(await found('some8')).toEqual([5_009]);
  });

  it('are found where a comment has them once more', async () => {
    const options = { key: KEYS.plain, body: { comment: 'Also everywhere' } };
    await small.call('POST', '/rest/bug/5001/comment', options);
    expect(await found('everywhere')).toEqual([5_001, ...everybody]);
  });

  it('are not written again by a repair, which adds what is lost', async () => {
    const before = await ofWord();
    await repairTable(small.table);
    expect(await ofWord()).toEqual(before);
    for (const sk of before) await deleteItem(small.table, { pk: `WORD#${WORDS[0]}`, sk });
    const findings = await checkTable(small.table);
    const lacking = findings.found.filter(isViolation).map(({ item }) => item);
    expect(lacking.sort()).toEqual(insiders.map((id) => `BUG#${id} BUG`));
    await repairTable(small.table);
    await expectNoViolations(small.table);
    expect(await found('everywhere', 'insider')).toEqual(insiders);
  });
});

describe('without an index of comments', () => {
  const without = useStarted(() => serve(bugless.table, { INDEX_COMMENTS: 'false' }));
  const read = (query: string, key?: string, on: Bugless = without) =>
    on.call('GET', `/rest/bug?include_fields=id&${query}`, { key });

  it('a search for a word reads comments, and comments write no words', async () => {
    expect(await find(content('zeppelin'), 'plain', without)).toEqual([7]);
    const options = { key: KEYS.plain, body: { comment: 'unindexed' } };
    await without.call('POST', '/rest/bug/40/comment', options);
    expect(await find(content('unindexed'), 'plain', without)).toEqual([40]);
    // With the index, comments are not read.
    expect(await find(content('unindexed'))).toEqual([]);
  });

  it('a search for a word reads the comments of 1,000 bugs at most, of 500 for callers without a key', async () => {
    const [first] = catalogue().bugs;
    const indexed = await startBugless({ ...catalogue(), bugs: first === undefined ? [] : [first] });
    await indexCopies(
      indexed.table,
      times(1_000, (n) => n + 2),
    );
    const many = await serve(indexed.table, { INDEX_COMMENTS: 'false' });
    const ofFirst = (count: number) => `${content('common')}&f2=bug_id&o2=lessthaneq&v2=${count}`;
    const answers = [
      await read(ofFirst(500), undefined, many),
      await read(ofFirst(501), undefined, many),
      await read(ofFirst(isLong ? 1_000 : 501), KEYS.plain, many),
      await read(content('common'), KEYS.plain, many),
      await read(content('common'), KEYS.plain, indexed),
    ];
    expect(answers.map(({ status, body }) => body.code ?? [status, body.bugs.length])).toEqual([
      [200, 1],
      32000,
      [200, 1],
      32000,
      [200, 1],
    ]);
  });

  it('no way in writes words, and the integrity check misses none', async () => {
    const table = { ...(await newTable()), indexesComments: false };
    const bugOf = (id: number, count: number) =>
      aBug(id, { comments: times(count, (n) => aComment(`unindexed ${n}`, { id: 100 * id + n })) });
    // In one transaction, in several, and added to a bug that exists.
    await applyCatalogue(table, parseNumbered({ products: [aProduct()], bugs: [bugOf(1, 1), bugOf(2, 60)] }));
    await applyCatalogue(table, parseNumbered({ bugs: [bugOf(1, 3)] }));
    const instance = await serve(table, { INDEX_COMMENTS: 'false' });
    const { status } = await instance.call('GET', `/rest/bug?${content('unindexed')}`);
    expect(status).toBe(200);
    expect((await allItems(table)).filter(({ pk }) => pk.startsWith('WORD#'))).toEqual([]);
    await expectNoViolations(table);
    const { found } = await checkTable({ ...table, indexesComments: true });
    expect(found.map(({ item }) => item).sort()).toEqual(['BUG#1 BUG', 'BUG#2 BUG']);
  });
});
