import { beforeEach, expect, test } from 'vitest';
import { Journal } from './journal.ts';
import { type Found, type FoundComment, problemsOf } from './verify.ts';

const BUG = 7;
const first = (): number => 0;
let journal: Journal;
let description: FoundComment;
let comment: FoundComment;

beforeEach(() => {
  journal = new Journal();
  journal.beginComment(BUG, 'It works')(41);
  journal.beginProduct('Rocket', 'To the moon')(3);
  description = { id: 1, bug_id: BUG, count: 0, text: 'It does not work', tags: [] };
  comment = { id: 41, bug_id: BUG, count: 1, text: 'It works', tags: [] };
});

function found(
  comments: FoundComment[],
  products = [{ id: 3, name: 'Rocket', description: 'To the moon' }],
): Found {
  return {
    bugs: new Map([[BUG, comments]]),
    comments: new Map(comments.map((one) => [one.id, one])),
    products: new Map(products.map((one) => [one.name, one])),
  };
}

test('complete data has no problems', () => {
  expect(problemsOf(journal, found([description, comment]))).toEqual([]);
});

test('a missing comment is reported', () => {
  expect(problemsOf(journal, found([description]))).toEqual([
    'Comment 41 of bug 7 is missing by its id',
    'Comment 41 is missing on bug 7',
  ]);
});

test('a comment that is found by its id only is reported', () => {
  const all = found([description, comment]);
  expect(problemsOf(journal, { ...all, bugs: new Map([[BUG, [description]]]) })).toEqual([
    'Comment 41 is missing on bug 7',
  ]);
});

test('a comment that was written twice is reported', () => {
  const again = { ...comment, id: 42, count: 2 };
  expect(problemsOf(journal, found([description, comment, again]))).toEqual([
    'The text of comment 41 is on bug 7 twice',
  ]);
});

test('a comment with another text, or on another bug, is reported', () => {
  const [other, elsewhere] = [
    { ...comment, text: 'It' },
    { ...comment, bug_id: 8 },
  ];
  expect(problemsOf(journal, found([description, other]))).toEqual(['Comment 41 has another text']);
  expect(problemsOf(journal, found([description, elsewhere]))).toEqual(['Comment 41 is on bug 8, not 7']);
});

test('a gap between the counts of comments is reported', () => {
  const moved = { ...comment, count: 2 };
  expect(problemsOf(journal, found([description, moved]))).toEqual([
    'The counts of the comments of bug 7 have a gap: 1 is missing',
  ]);
});

test('tags must be the last acknowledged ones', () => {
  const taken = journal.takeComment(first);
  if (taken === undefined) throw new Error('There is no comment');
  journal.beginTags(taken, ['crash', 'abort'], [])();
  const withTags = (tags: string[]) => found([description, { ...comment, tags }]);
  expect(problemsOf(journal, withTags(['abort', 'crash']))).toEqual([]);
  expect(problemsOf(journal, withTags(['crash']))).toEqual([
    'Comment 41 has the tags ["crash"], not ["abort","crash"]',
  ]);
});

test('a change without a response may have been executed or not; the item is not changed again', () => {
  const [taken, product] = [journal.takeComment(first), journal.takeProduct(first)];
  if (taken === undefined || product === undefined) throw new Error('There is nothing to change');
  journal.beginTags(taken, ['crash'], []);
  journal.beginDescription(product, 'To Mars');
  expect([journal.takeComment(first), journal.takeProduct(first)]).toEqual([undefined, undefined]);
  const changed = [{ id: 3, name: 'Rocket', description: 'To Mars' }];
  expect(problemsOf(journal, found([description, { ...comment, tags: ['crash'] }], changed))).toEqual([]);
  expect(problemsOf(journal, found([description, comment]))).toEqual([]);
  expect(problemsOf(journal, found([description, { ...comment, tags: ['abort'] }]))).toEqual([
    'Comment 41 has the tags ["abort"], not ["crash"] or []',
  ]);
});

test('a comment without a response is stored at most once', () => {
  journal.beginComment(BUG, 'No response');
  const open = { id: 42, bug_id: BUG, count: 2, text: 'No response', tags: [] };
  expect(problemsOf(journal, found([description, comment, open]))).toEqual([]);
  expect(problemsOf(journal, found([description, comment, open, { ...open, id: 43, count: 3 }]))).toEqual([
    'A comment without a response is stored 2 times: No response',
  ]);
});

test('a missing or different product is reported', () => {
  const both = [description, comment];
  expect(problemsOf(journal, found(both, []))).toEqual(["The product 'Rocket' is missing"]);
  const rocket = { id: 3, name: 'Rocket', description: 'To the moon' };
  expect(problemsOf(journal, found(both, [{ ...rocket, id: 4 }]))).toEqual([
    "The product 'Rocket' has the id 4, not 3",
  ]);
  expect(problemsOf(journal, found(both, [{ ...rocket, description: 'Away' }]))).toEqual([
    "The product 'Rocket' has the description 'Away', not 'To the moon'",
  ]);
});
