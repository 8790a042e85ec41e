import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { aBug, aComment, aFile, aProduct, REPORTER } from '../support/small-catalogue.ts';

const key = 'k'.repeat(40);
const COMPOSED = 'na\u00efve';
const DECOMPOSED = 'nai\u0308ve';
const time = '2024-01-02T03:04:05Z';

const custom = (name: string, type: number) => ({ name, display_name: name, type });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const comments = (...texts: string[]) => texts.map((text) => aComment(text));
const spelled = (word: string, id: number) => ({
  summary: `A ${word} summary`,
  whiteboard: `whiteboard ${word}`,
  url: `https://example.org/${word}`,
  cf_text: `text ${word}`,
  comments: [
    ...comments('Description', `It is ${word} today`),
    aComment(`Created attachment ${id}\nScreenshot\n\nLook`, { attachment_id: id }),
  ],
  history: [
    {
      ...{ when: time, who: REPORTER },
      changes: [{ field_name: 'status_whiteboard', removed: '', added: `whiteboard ${word}` }],
    },
  ],
  attachments: [aFile(id, { file_name: `${word}.txt`, summary: `file ${word}` })],
});

const bugless = useStarted(() =>
  startBuglessWithPermissions(
    parseCompleteCatalogue({
      groups: [{ name: 'timetrackers' }, { name: 'editbugs' }],
      users: [
        { login: REPORTER, real_name: 'Zoe', api_keys: [{ key }], groups: ['timetrackers', 'editbugs'] },
        { login: 'b@example.com', real_name: 'Ann' },
        { login: 'c@example.com', real_name: 'Ben' },
      ],
      products: [
        aProduct(1, 'Alpha', { milestones: ['M2', 'M1'].map((name, sort_key) => ({ name, sort_key })) }),
      ],
      bug_fields: [custom('cf_text', 1), custom('cf_when', 5), custom('cf_day', 9)],
      bugs: [
        aBug(1, spelled(COMPOSED, 1)),
        aBug(2, spelled(DECOMPOSED, 2)),
        aBug(3, {
          cf_when: '2023-12-31T23:59:59Z',
          cf_day: '2023-12-31',
          assigned_to: REPORTER,
          target_milestone: 'M1',
        }),
        aBug(4, {
          cf_when: `${daysAgo(30)}T00:00:00Z`,
          cf_day: daysAgo(30),
          assigned_to: 'b@example.com',
          target_milestone: 'M2',
        }),
        aBug(5, {
          ...{ qa_contact: 'c@example.com', assigned_to: 'c@example.com', estimated_time: 5 },
          target_milestone: 'M2',
          ...{ see_also: ['https://github.com/example/repo/issues/5', 'https://example.org/7'] },
          comments: comments('a', 'see 12345', 'It worked more than once', 'd'),
        }),
      ],
    }),
  ),
);

const among = async (ids: string, query: Record<string, string>) => {
  const parameters = new URLSearchParams({ ...query, include_fields: 'id' });
  const { body } = await bugless.call('GET', `/rest/bug?${ids}&${parameters}`, { key });
  return body.bugs?.map(({ id }: { id: number }) => id) ?? body.code;
};
const found = (query: Record<string, string>) => among('', query);
const chart = (f1: string, o1: string, v1: string) => found({ f1, o1, v1 });

describe.each([
  ['composed', COMPOSED],
  ['decomposed', DECOMPOSED],
])('a %s word finds both spellings', (_, word) => {
  it.each<[string, Record<string, string>]>([
    ['a summary', { summary: word }],
    ['a summary as a whole', { short_desc: `a ${word} summary`, short_desc_type: 'equals' }],
    ['a part in its case', { short_desc: word, short_desc_type: 'casesubstring' }],
    ['a regular expression', { short_desc: `a ${word}\\s`, short_desc_type: 'regexp' }],
    ['a whiteboard', { whiteboard: word }],
    ['an address', { url: word }],
    ['a custom field', { cf_text: `text ${word}` }],
    ['quicksearch', { quicksearch: word }],
    ['quicksearch in capitals', { quicksearch: `ALL ${word.toUpperCase()}` }],
    ['quicksearch of a whiteboard', { quicksearch: `whiteboard:${word}` }],
    ['comments', { longdesc: word }],
    ['words of comments', { longdesc: word, longdesc_type: 'allwords' }],
    ['a part of a comment', { longdesc: `is ${word} to`, longdesc_type: 'substring' }],
    ['a regular expression on comments', { longdesc: `is ${word}`, longdesc_type: 'regexp' }],
    ['content', { content: word }],
    ['attachments', { f1: 'attachments.description', o1: 'substring', v1: word }],
    ['names of files', { f1: 'attachments.filename', o1: 'equals', v1: `${word}.txt` }],
    ['the history', { f1: 'status_whiteboard', o1: 'changedto', v1: `whiteboard ${word}` }],
  ])('%s', async (_, query) => {
    expect(await found(query)).toEqual([1, 2]);
  });

  it('and leaves both out where it is negated', async () => {
    expect(await chart('short_desc', 'notsubstring', word)).toEqual([3, 4, 5]);
    expect(await chart('short_desc', 'notregexp', word)).toEqual([3, 4, 5]);
  });
});

describe('dates of custom fields', () => {
  it.each(['2023-12-31 23:59:59', '2023-12-31T23:59:59Z', '2023-12-31 23:59:59 +0000'])(
    'are found in the spelling %s',
    async (when) => {
      expect(await found({ cf_when: when })).toEqual([3]);
      expect(await chart('cf_when', 'equals', when)).toEqual([3]);
      expect(await chart('cf_when', 'anyexact', `2000-01-01,${when}`)).toEqual([3]);
      expect(await found({ cf_day: when })).toEqual([3]);
    },
  );

  it.each(['cf_when', 'cf_day'])('are compared with relative times: %s', async (field) => {
    expect(await chart(field, 'lessthan', '-60d')).toEqual([3]);
    expect(await chart(field, 'greaterthan', '-60d')).toEqual([4]);
    expect(await chart(field, 'greaterthan', '1w')).toEqual([]);
    expect(await chart(field, 'lessthan', '1w')).toEqual([3, 4]);
    expect(await chart(field, 'lessthan', '+1d')).toEqual([3, 4]);
  });

  it.each(['nonsense', '2023-12-31'])('find nothing as no time: %s', async (when) => {
    expect(await found({ cf_when: when })).toEqual([]);
    expect(await chart('cf_when', 'equals', when)).toEqual([]);
  });

  it('are found in another spelling of a day', async () => {
    expect(await found({ cf_day: '2023/12/31' })).toEqual([3]);
  });
});

it.each<[string, string, number[]]>([
  ['allwords', 'github.com repo', [5]],
  ['allwords', 'github.com example.org', [5]],
  ['allwords', 'github.com nosuch', []],
  ['allwords', 'https://github.com/example/repo/issues/5', [5]],
  ['anywords', 'nosuch github', [5]],
  ['anywords', 'git', []],
  ['nowords', 'github', [1, 2, 3, 4]],
  ['equals', 'https://example.org/7', [5]],
  // A letter or digit is beside no word, also of other characters.
  ['allwords', '?', []],
  ['allwords', '/ 7?', []],
  ['allwords', '/', [5]],
])('see_also %s %s', async (operator, words, ids) => {
  expect(await chart('see_also', operator, words)).toEqual(ids);
});

it.each(['12345,nosuch.', 'nosuch.,12345', 'nosuch|12345', 'ALL 12345'])(
  'quicksearch takes a number beside a word for a word: %s',
  async (quicksearch) => {
    expect(await found({ quicksearch })).toEqual([5]);
  },
);

it.each([
  ['worked more', [5]],
  ['worked than the', [5]],
  ['worked about', [5]],
  ['the', []],
  ['created', []],
  ['Screenshot', []],
  ['look', [1, 2]],
])('quicksearch demands words that comments are searched for: ALL %s', async (words, ids) => {
  expect(await found({ quicksearch: `ALL ${words}` })).toEqual(ids);
  if (!words.includes(' ')) expect(await found({ content: words })).toEqual(ids);
});

describe('the order', () => {
  it.each<[string, number[]]>([
    ['assigned_to_realname', [4, 5, 3]],
    ['assigned_to_realname DESC', [3, 5, 4]],
    ['map_assigned_to.login_name', [4, 5, 3]],
    ['qa_contact_realname DESC', [5, 3, 4]],
    ['reporter_realname,bug_id DESC', [5, 4, 3]],
    ['longdescs.count', [3, 4, 5]],
    ['longdescs.count DESC', [5, 3, 4]],
    ['changeddate,longdescs.count DESC', [5, 3, 4]],
    ['cc,longdesc,commenter', [3, 4, 5]],
    ['target_milestone,bug_id', [4, 5, 3]],
  ])('is by %s', async (order, ids) => {
    expect(await among('id=3&id=4&id=5', { order })).toEqual(ids);
    expect(await among('product=Alpha&id=3&id=4&id=5', { order, limit: '2' })).toEqual(ids.slice(0, 2));
    expect(await found({ order, f1: 'bug_id', o1: 'greaterthan', v1: '2' })).toEqual(ids);
  });

  it('is by the exact percentage complete, for those who track time', async () => {
    const work = (id: number, work_time: number, remaining_time: number) =>
      bugless.call('PUT', `/rest/bug/${id}`, { key, body: { work_time, remaining_time } });
    await work(3, 33, 67);
    await work(4, 1, 2);
    expect(await among('id=3&id=4&id=5', { order: 'percentage_complete DESC' })).toEqual([4, 3, 5]);
    expect(await chart('percentage_complete', 'greaterthan', '33')).toEqual([4]);
  });
});
