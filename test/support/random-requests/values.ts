import fc, { type Arbitrary } from 'fast-check';
import { ALL_CALLERS, type CallerName } from './catalogue.ts';

/** Values of the right form, few, so that requests often meet the same items: a fuzz test has anything. */
const oneOf = <T>(...values: readonly T[]): Arbitrary<T> => fc.constantFrom(...values);

/** A record whose fields may be absent, but for the needed ones. */
const fields = (all: Record<string, Arbitrary<unknown>>, needed: string[] = []) =>
  fc.record(all, { requiredKeys: needed, noNullPrototype: true });

export const anybody = oneOf(...ALL_CALLERS);
/** Mostly callers with the permission. */
const byThose = (...able: CallerName[]) => fc.oneof({ weight: 5, arbitrary: oneOf(...able) }, anybody);
export const byEditors = byThose('admin', 'admin', 'editor');
export const byEditorsOfBugs = byThose('admin', 'admin', 'tracker', 'plain', 'insider');
export const byTaggers = byThose('admin', 'insider', 'secret');

const digits = (most: number) => fc.integer({ min: 1, max: most }).map(String);

/** Few names, so that they are often equal, or differ in case only. */
const productName = oneOf(
  ...['Alpha', 'ALPHA', 'alpha', 'Secret', 'sEcret', 'Gate', 'Veiled', 'Guarded', 'Nova', 'NOVA', 'nova'],
  ...['Grün', 'GRÜN', 'gru\u0308n', 'A/B & 50% "C" +1', 'a/b & 50% "c" +1', '42'],
);
const knownName = oneOf('Alpha', 'ALPHA', 'secret', 'Gate', 'VEILED', 'closed', 'Guarded');
const newName = fc.oneof(oneOf('Nova', ' NOVA ', 'nova', 'Grün', 'gru\u0308n'), productName);
const productId = fc.oneof({ weight: 8, arbitrary: digits(7) }, oneOf('99'));
const truth = oneOf(true, false);
const included = oneOf('id,name', 'name,description', 'id,versions', 'id,components,milestones');
const TYPES = ['selectable', 'enterable', 'accessible'];

export const productQuery = fc.oneof(
  fields({ type: oneOf(...TYPES), include_fields: included }),
  fields({
    ids: fc.array(productId, { minLength: 1, maxLength: 3 }),
    names: fc.array(productName, { minLength: 1, maxLength: 2 }),
    type: fc.subarray(TYPES, { minLength: 1, maxLength: 2 }),
    include_fields: included,
  }),
);

export const newProduct = fields(
  {
    name: newName,
    description: oneOf('d', ' padded '),
    version: oneOf('1.0', 'v'),
    has_unconfirmed: truth,
    classification: oneOf('Server', ' SERVER', 'unclassified'),
    default_milestone: oneOf('M1', ' M2 '),
    is_open: truth,
  },
  ['name', 'description', 'version'],
);

const newValues = {
  description: oneOf('d', 'e', ' f '),
  default_milestone: oneOf('M1', 'M2', ' — '),
  has_unconfirmed: truth,
};
const moreTargets = {
  ids: oneOf<unknown>(['1'], '2', [3, '1'], ['6']),
  names: oneOf<unknown>(['alpha'], 'Gate', ['gate', 'GATE']),
};
export const productUpdate = fc.oneof(
  { weight: 8, arbitrary: fields({ name: newName, is_open: truth }, ['name']) },
  { weight: 5, arbitrary: fields({ ...newValues, is_active: truth }) },
  { weight: 2, arbitrary: fields({ ...newValues, is_open: truth, ...moreTargets }) },
);

export const bugName = fc.oneof(
  { weight: 6, arbitrary: digits(5) },
  { weight: 4, arbitrary: oneOf('first', 'FIRST', ' Guarded ', 'made', 'MADE', 'Größe', 'GRÖSSE', 'größe') },
  { weight: 1, arbitrary: oneOf('99', 'nosuch') },
);
export const commentId = fc.oneof({ weight: 20, arbitrary: digits(11) }, oneOf('999'));
export const commentQuery = fields({
  new_since: oneOf('2024-01-01', '2024/01/02 00:00', 'Tue, 2 Jan 2024 00:00:01 GMT', '2099-12-31T23:59:59Z'),
  ids: fc.array(bugName, { maxLength: 2 }),
  comment_ids: fc.array(commentId, { maxLength: 2 }),
});

const commentText = oneOf('same', ' leading', 'a\r\nb\rc \n', '🪐');
const workTime = oneOf<unknown>(1, '2.5', 0.25, -0.5, ' .5 ');
export const newComment = fields({ comment: commentText, is_private: truth, work_time: workTime }, [
  'comment',
]);
export const oldComment = fields({ comment: commentText, private: truth }, ['comment', 'private']);
const commentWithin = fc.oneof(commentText, fields({ body: commentText, is_private: truth }, ['body']));

export const commentingUpdate = fields({ comment: commentWithin, work_time: workTime, minor_update: truth }, [
  'comment',
]);
export const updateOfSeveral = fields(
  { comment: commentWithin, ids: fc.array(bugName, { maxLength: 2 }), whiteboard: oneOf('', 'both') },
  ['comment', 'ids'],
);

export const bugQuery = fields({
  id: oneOf('1,2,3', '4,6, 5', '7'),
  alias: fc.array(oneOf('first', 'FIRST', 'guarded', 'made', 'nosuch'), { maxLength: 2 }),
  product: oneOf<unknown>('Alpha', 'secret', 'nosuch', ['Guarded', 'Closed']),
  status: oneOf<unknown>('CONFIRMED', ['RESOLVED', 'UNCONFIRMED'], 'resolved', 'NOSUCH'),
  limit: oneOf('1', '0', '2'),
});

/** Mostly a single change, often of nothing. */
export const bugUpdate = fields({
  summary: oneOf('one', 'another'),
  whiteboard: oneOf('left', 'right', ''),
  cc: fields({
    add: oneOf(['plain@example.com'], ['Editor@example.com', 'secret@example.com'], []),
    remove: oneOf(['plain@example.com'], ['EDITOR@example.com'], []),
  }),
  status: oneOf('UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'resolved'),
  resolution: oneOf('FIXED', 'wontfix'),
  comment: commentWithin,
  work_time: workTime,
});

export const newBug = fields(
  {
    product: fc.oneof({ weight: 3, arbitrary: oneOf('Alpha', 'guarded', 'Veiled') }, productName),
    component: oneOf('Core', ' Core'),
    version: oneOf('1.0'),
    summary: oneOf('it breaks'),
    description: oneOf('loudly\r\n', 'always'),
    comment_is_private: truth,
    alias: oneOf<unknown>(['made'], 'MADE', ['Größe'], [], ['GRÖSSE', 'made'], 'first'),
    assigned_to: oneOf('PLAIN@example.com', 'secret@example.com'),
    qa_contact: oneOf('insider@example.com'),
    cc: oneOf<unknown>(['Editor@example.com'], [], 'plain@example.com'),
  },
  ['product', 'component', 'version', 'summary'],
);

const tags = fc.array(oneOf('spam', 'SPAM', 'Spam-2', 'obsolete', 'Über', 'ÜBER', 'u\u0308ber', 'me.too_2'), {
  maxLength: 3,
});
export const tagChange = fields({ add: tags, remove: tags });
export const tagQuery = oneOf('s', 'SPAM', 'a', 'e', 'Ü', 'u\u0308', '%', '_', '-2', 'obsolete', 'zzz');
export const id_or_name = fc.oneof(knownName, knownName, productName, productId);
