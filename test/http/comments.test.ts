import { beforeAll, describe, expect, it } from 'vitest';
import { bugKey } from '../../lib/table/keys.ts';
import { setItem } from '../../lib/table/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(() => startBugless());

let bug = 0;
/** ids of the comments, by their counts */
const ids: number[] = [];
const COMMENTS = 30;
/** Counts of private ones. */
const PRIVATE = [5, 28, 29];

beforeAll(async () => {
  const created = await bugless.call('POST', '/rest/bug', {
    ...{ key: keys.admin, body: { ...NEW_BUG, description: 'c0' } },
  });
  bug = created.body.id;
  for (let count = 1; count < COMMENTS; count += 1) {
    const body = { comment: `c${count}`, is_private: PRIVATE.includes(count) };
    await bugless.call('POST', `/rest/bug/${bug}/comment`, { key: keys.admin, body });
  }
  const { body } = await bugless.call('GET', `/rest/bug/${bug}/comment`, { key: keys.admin });
  ids.push(...body.bugs[bug].comments.map(({ id }: { id: number }) => id));
});

async function counts(query: string, key: string = keys.plain): Promise<number[] | [number, number]> {
  const { status, body } = await bugless.call('GET', `/rest/bug/${bug}/comment?${query}`, { key });
  if (status !== 200) return [status, body.code];
  return body.bugs[bug].comments.map(({ count }: { count: number }) => count);
}
const range = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => (from < to ? from + index : from - index));

describe('a part of the comments of a bug', () => {
  it.each([
    ['the oldest', 'limit=3', [0, 1, 2]],
    ['the newest that the caller sees, newest first', 'limit=3&order=newest', [27, 26, 25]],
    ['a limit that is larger', 'limit=500', range(0, 29).filter((one) => !PRIVATE.includes(one))],
    ['all, newest first', 'order=newest', range(29, 0).filter((one) => !PRIVATE.includes(one))],
    ['one that is hidden does not count', 'limit=6', [0, 1, 2, 3, 4, 6]],
    ['nothing after the last second', 'limit=5&new_since=2100-01-01', []],
  ])('%s', async (_, query, expected) => expect(await counts(query)).toEqual(expected));

  it('before a comment is the next part, down to the description', async () => {
    const read: number[] = [];
    for (let before = ''; ; ) {
      const part = await counts(`limit=7&order=newest${before}`, keys.admin);
      if (part.length === 0) break;
      read.push(...part);
      before = `&before=${ids[part.at(-1) ?? 0]}`;
    }
    expect(read).toEqual(range(29, 0));
    expect(await counts(`before=${ids[3]}`, keys.admin)).toEqual([0, 1, 2]);
  });

  it.each([
    ['0', 'limit=0', [400, 53]],
    ['501', 'limit=501', [400, 53]],
    ['no number', 'limit=ten', [400, 52]],
    ['another order', 'order=random', [400, 53]],
    ['a comment of another bug', 'before=1', [400, 111]],
    ['no comment', 'before=99999999', [400, 111]],
    ['no id', 'before=x', [400, 52]],
    ['several bugs', 'before=1&ids=1', [400, 53]],
  ])('is refused for %s', async (_, query, expected) => expect(await counts(query)).toEqual(expected));

  it('does not end before a comment that the caller does not see', async () => {
    expect((await counts(`before=${ids[28]}`))[1]).toBe(111);
    expect(await counts(`limit=1&order=newest&before=${ids[29]}`, keys.admin)).toEqual([28]);
  });

  it('is one of each bug; single comments are not limited', async () => {
    const path = `/rest/bug/${bug}/comment?ids=1&limit=1&order=newest&comment_ids=${ids[0]}`;
    const { body } = await bugless.call('GET', path, { key: keys.plain });
    expect(Object.values<{ comments: object[] }>(body.bugs).map(({ comments }) => comments.length)).toEqual([
      1, 1,
    ]);
    expect(Object.keys(body.comments)).toEqual([String(ids[0])]);
  });
});

it.each(['9999', '99999999999999999999999', '0'])(
  'the error for an unknown comment has the id as it was sent: %s',
  async (id) => {
    for (const path of [
      `/rest/bug/comment/%20${id}`,
      `/rest/bug/1/comment?comment_ids=1&comment_ids=${id}`,
    ]) {
      const { status, body } = await bugless.call('GET', path);
      expect([status, body.code]).toEqual([400, 111]);
      expect(body.message).toContain(`'${id}'`);
    }
  },
);

it('a comment is not earlier than the one before it, whatever the clock says', async () => {
  const last_comment_time = '2099-01-01T00:00:00Z';
  await setItem(bugless.table, bugKey(2), { last_comment_time });
  const options = { key: keys.admin, body: { comment: 'later' } };
  const { id } = (await bugless.call('POST', '/rest/bug/2/comment', options)).body;
  const { body } = await bugless.call('GET', `/rest/bug/comment/${id}`, options);
  expect(body.comments[id].time).toBe(last_comment_time);
});

it('a search shows the first spelling of a tag, as long as it is in use', async () => {
  const change = (comment: number, body: object) =>
    bugless.call('PUT', `/rest/bug/comment/${comment}/tags`, { key: keys.admin, body });
  const found = async () =>
    (await bugless.call('GET', '/rest/bug/comment/tags/first-o', { key: keys.admin })).body;
  for (const [comment, body, expected] of [
    [10, { add: ['First-One'] }, 'First-One'],
    [11, { add: ['FIRST-one'] }, 'First-One'],
    [10, { remove: ['first-one'] }, 'First-One'],
    [11, { remove: ['first-one'] }, undefined],
    [11, { add: ['FIRST-one'] }, 'FIRST-one'],
  ] as const) {
    expect((await change(comment, body)).status).toBe(200);
    expect((await found())[0]).toBe(expected);
  }
});
