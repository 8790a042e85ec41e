import fc, { type Arbitrary } from 'fast-check';
import { TIMES } from './comment-rules.ts';
import { ALL_CALLERS, type CallerName } from './initial-catalogue.ts';

/** Mostly a valid value, so that requests pass the first checks; sometimes an invalid one. */
const mostly = <T>(usual: readonly T[], odd: readonly T[], odds = 25): Arbitrary<T> =>
  fc.oneof(
    { weight: odds, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

/** A record whose fields may be absent; those of `needed` are present most of the time. */
export function fields(all: Record<string, Arbitrary<unknown>>, needed: string[] = []) {
  const record = (requiredKeys: string[]) => fc.record(all, { requiredKeys, noNullPrototype: true });
  return fc.oneof({ weight: 15, arbitrary: record(needed) }, { weight: 1, arbitrary: record([]) });
}

const REFUSED_CALLERS: CallerName[] = ['disabled', 'revoked', 'unknownKey'];
export const anybody = mostly(ALL_CALLERS, REFUSED_CALLERS);
/** Mostly callers with the permission. */
const byThose = (able: CallerName[]) => fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...able) }, anybody);
export const byEditors = byThose(['admin', 'admin', 'editor']);
export const byEditorsOfBugs = byThose(['admin', 'admin', 'tracker', 'plain', 'insider']);
export const byTaggers = byThose(['admin', 'insider', 'secret']);

const digits = (most: number) => fc.integer({ min: 1, max: most }).map(String);

/** Few names, so that they are often equal, or differ in case only. */
const productName = fc.constantFrom(
  ...['Alpha', 'ALPHA', 'alpha', 'Secret', 'sEcret', 'Gate', 'Veiled', 'Guarded', 'Nova', 'NOVA', 'nova'],
  ...['Grün', 'GRÜN', 'gru\u0308n', 'A/B & 50% "C" +1', 'a/b & 50% "c" +1', '42'],
);
const oddName = [' Alpha ', '', ' ', null, 7, 'x'.repeat(65), 'tab\there', '🪐'.repeat(64), true, ['Nova']];
const knownName = fc.constantFrom('Alpha', 'ALPHA', 'secret', 'Gate', 'VEILED', 'closed', 'Guarded');
const newName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('Nova', 'NOVA', 'nova', 'Grün', 'gru\u0308n') },
  { weight: 6, arbitrary: productName },
  { weight: 2, arbitrary: fc.constantFrom(...oddName) },
);
const productId = fc.oneof({ weight: 8, arbitrary: digits(7) }, fc.constantFrom('99', '0', '2147483648'));
export const truth = mostly<unknown>([true, false], [1, 0, '1', '0', '', 'false', null]);
const included = fc.constantFrom('id,name', 'name,description', 'id,versions', 'id,components,milestones');

export const productQuery = fc.oneof(
  fields({ type: fc.constantFrom('selectable', 'enterable', 'accessible'), include_fields: included }),
  fields({
    ids: fc.array(fc.oneof(productId, fc.constantFrom('02', 'abc', '1,2')), { minLength: 1, maxLength: 3 }),
    names: fc.array(productName, { minLength: 1, maxLength: 2 }),
    type: fc.subarray(['selectable', 'enterable', 'accessible', 'Accessible', ''], {
      maxLength: 2,
      minLength: 1,
    }),
    include_fields: included,
  }),
);

export const newProduct = fields(
  {
    name: newName,
    description: mostly<unknown>(['d', ' padded '], ['', ' ', null, 7]),
    version: mostly<unknown>(['1.0', 'v'], ['', null, 2, 'v'.repeat(65)]),
    has_unconfirmed: truth,
    classification: mostly<unknown>(['Server', ' SERVER', 'unclassified'], ['', ' ', 'Nowhere', null]),
    default_milestone: mostly<unknown>(['M1', ' M2 '], ['', null, 'm'.repeat(65)]),
    is_open: truth,
    create_series: truth,
    nosuch: fc.constant('ignored'),
  },
  ['name', 'description', 'version'],
);

const newValues = {
  description: mostly<unknown>(['d', 'e', ' f '], ['', null, false]),
  default_milestone: mostly<unknown>(['M1', 'M2', ' — '], ['m1', 'nosuch', '', null]),
  has_unconfirmed: truth,
};
const moreTargets = {
  ids: mostly<unknown>([['1'], '2', [3, '1'], ['6'], ['007']], [['abc'], ['99'], null, ['1', '1', '6']]),
  names: mostly<unknown>([['alpha'], 'Gate', ['gate', 'GATE']], [['nosuch'], null]),
};
export const productUpdate = fc.oneof(
  { weight: 8, arbitrary: fields({ name: newName, is_open: truth }, ['name']) },
  { weight: 5, arbitrary: fields({ ...newValues, is_active: truth }) },
  { weight: 2, arbitrary: fields({ ...newValues, is_open: truth, ...moreTargets }) },
  {
    weight: 1,
    arbitrary: fields({ version: fc.constant('2.0'), name: newName, ids: fc.constant(['2']) }, ['name']),
  },
);

export const bugName = fc.oneof(
  { weight: 6, arbitrary: digits(5) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('first', 'FIRST', ' Guarded ', 'made', 'MADE', 'Größe', 'GRÖSSE', 'größe'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('0', '99', '007', 'nosuch', '1.5', '-1', '1,2', '01', '4294967297'),
  },
);
export const commentId = fc.oneof(
  { weight: 20, arbitrary: digits(11) },
  { weight: 1, arbitrary: fc.constantFrom('0', '999', '002', ' 3 ', 'abc', '-1', '1.5') },
);
/** `at <n>`: the time of comment n. */
export const newSince = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TIMES.keys()) },
  { weight: 3, arbitrary: digits(12).map((id) => `at ${id}`) },
  { weight: 1, arbitrary: fc.constantFrom('2024-02-30', '', 'yesterday', '2024-01-02 25:00') },
);
export const commentQuery = fields({
  new_since: newSince,
  ids: fc.array(bugName, { maxLength: 2 }),
  comment_ids: fc.array(commentId, { maxLength: 2 }),
});

const commentText = mostly<unknown>(
  ['same', ' leading', 'a\r\nb\rc \n', '🪐', 5],
  ['', ' \n', '\u2003\u00a0', null, true, 'x'.repeat(65_536), ['a text']],
);
export const workTime = mostly<unknown>(
  [1, '2.5', 0.25, -0.5, ' .5 '],
  ['two', '1,5', 100_000, '-100000', null, '', true, { much: 1 }],
  5,
);
export const newComment = fields({ comment: commentText, is_private: truth, work_time: workTime }, [
  'comment',
]);
export const oldComment = fields({ comment: commentText, private: truth }, ['comment', 'private']);
export const commentWithin = fc.oneof(
  commentText,
  fields({ body: commentText, is_private: truth }, ['body']),
);

/** Mostly a single change, often of nothing. */
export const bugUpdate = fields({
  summary: mostly<unknown>(['one', 'another'], ['', null, 's'.repeat(256), 7]),
  whiteboard: mostly<unknown>(['left', 'right', ''], [null]),
  cc: fields({
    add: fc.constantFrom(['plain@example.com'], ['Editor@example.com', 'secret@example.com'], ['nosuch'], []),
    remove: fc.constantFrom(['plain@example.com'], ['EDITOR@example.com'], []),
  }),
  status: mostly<unknown>(['CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'resolved'], ['UNCONFIRMED', 'NEW', '']),
  resolution: mostly<unknown>(['FIXED', 'wontfix'], ['', 'nosuch', null]),
  comment: commentWithin,
  work_time: workTime,
});

export const newBug = fields(
  {
    product: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('Alpha', 'guarded', 'Veiled') }, productName),
    component: mostly<unknown>(['Core', ' Core'], ['Old', 'core', '', null]),
    version: mostly<unknown>(['1.0'], ['2.0', '10.0', '', null, 'nosuch']),
    summary: mostly<unknown>(['it breaks'], ['', ' ', 's'.repeat(256), 3]),
    description: mostly<unknown>(['loudly\r\n', 'always'], ['', null]),
    comment_is_private: mostly<unknown>([false], [true, '1']),
    alias: mostly<unknown>(
      [['made'], 'MADE', ['Größe'], [], ['GRÖSSE', 'made']],
      [['12'], 'a b', 'first'],
      5,
    ),
    assigned_to: mostly<unknown>(['PLAIN@example.com', 'secret@example.com'], ['', 'nosuch', null]),
    qa_contact: mostly<unknown>(['insider@example.com'], ['', 'nosuch']),
    cc: mostly<unknown>([['Editor@example.com'], [], 'plain@example.com'], [['nosuch']]),
  },
  ['product', 'component', 'version', 'summary'],
);

const goodTag = fc.constantFrom(
  'spam',
  'SPAM',
  'Spam-2',
  'obsolete',
  'Über',
  'ÜBER',
  'u\u0308ber',
  'me.too_2',
);
const tag = fc.oneof(
  { weight: 20, arbitrary: goodTag },
  { weight: 1, arbitrary: fc.constantFrom(null, 'ab', 't'.repeat(25), 'a b', 'no%', 123, 'tag\n', '') },
);
export const tags = fc.oneof({ weight: 9, arbitrary: fc.array(tag, { maxLength: 3 }) }, tag);
export const tagQuery = fc.constantFrom(
  's',
  'SPAM',
  'a',
  'e',
  'Ü',
  'u\u0308',
  '%',
  '_',
  '-2',
  'obsolete',
  'zzz',
);
export const id_or_name = fc.oneof(knownName, knownName, productName, productId);
