import fc, { type Arbitrary } from 'fast-check';
import * as values from './arbitrary-values.ts';
import type { CallerName } from './initial-catalogue.ts';
import type { Request } from './send-request.ts';

const { fields, bugName, commentId: comment_id, bugName: id_or_alias, id_or_name } = values;

/** Arbitrary requests of one route. */
interface Kind {
  /** relative frequency */
  weight: number;
  route: string;
  by?: Arbitrary<CallerName>;
  path?: Record<string, Arbitrary<string>>;
  query?: Arbitrary<Request['query']>;
  body?: Arbitrary<Request['body']>;
}

/** Arbitrary requests with a path parameter. */
function requestsTo(
  { route, by = values.anybody, path = {}, query, body }: Kind,
  named?: Request['path'],
): Arbitrary<Request> {
  const options = { noNullPrototype: true } as const;
  return fc.record(
    {
      by,
      route: fc.constant(route),
      path: named === undefined ? fc.record(path, options) : fc.constant(named),
      ...(query && { query }),
      ...(body && { body }),
    },
    options,
  );
}

/** Writes of one item, or of several in one transaction. */
const changing: Kind[] = [
  { weight: 5, route: 'POST /rest/product', by: values.byEditors, body: values.newProduct },
  {
    weight: 9,
    route: 'PUT /rest/product/{id_or_name}',
    by: values.byEditors,
    path: { id_or_name },
    body: values.productUpdate,
  },
  {
    weight: 8,
    route: 'POST /rest/bug/{id_or_alias}/comment',
    path: { id_or_alias },
    body: values.newComment,
  },
  {
    weight: 1,
    route: 'POST /rest/bug/{id_or_alias}/comment',
    path: { id_or_alias },
    body: values.oldComment,
  },
  {
    weight: 12,
    route: 'PUT /rest/bug/comment/{comment_id}/tags',
    by: values.byTaggers,
    path: { comment_id },
    body: fields({ add: values.tags, remove: values.tags }),
  },
  { weight: 7, route: 'POST /rest/bug', body: values.newBug },
  {
    weight: 3,
    route: 'PUT /rest/bug/{id_or_alias}',
    path: { id_or_alias },
    body: fields({ comment: values.commentWithin, work_time: values.workTime, minor_update: values.truth }, [
      'comment',
    ]),
  },
  {
    weight: 8,
    route: 'PUT /rest/bug/{id_or_alias}',
    by: values.byEditorsOfBugs,
    path: { id_or_alias },
    body: values.bugUpdate,
  },
];

/** Reads of one item, or of a list in one read. */
const looking: Kind[] = [
  { weight: 1, route: 'GET /rest/product_selectable' },
  { weight: 2, route: 'GET /rest/product_enterable' },
  { weight: 2, route: 'GET /rest/product_accessible' },
  { weight: 4, route: 'GET /rest/product/{id_or_name}', path: { id_or_name } },
  {
    weight: 4,
    route: 'GET /rest/bug/{id_or_alias}/comment',
    path: { id_or_alias },
    query: fields({ new_since: values.newSince }),
  },
  { weight: 3, route: 'GET /rest/bug/comment/{comment_id}', path: { comment_id } },
  { weight: 2, route: 'GET /rest/bug/{id_or_alias}', path: { id_or_alias } },
  { weight: 2, route: 'GET /rest/bug/{id_or_alias}/history', path: { id_or_alias } },
];

/** Requests about several items, which the service reads or writes one after the other. */
const roaming: Kind[] = [
  { weight: 4, route: 'GET /rest/product', query: values.productQuery },
  { weight: 1, route: 'GET /rest/product/{id_or_name}', path: { id_or_name }, query: values.productQuery },
  {
    weight: 3,
    route: 'GET /rest/bug/{id_or_alias}/comment',
    path: { id_or_alias },
    query: values.commentQuery,
  },
  {
    weight: 1,
    route: 'GET /rest/bug/comment/{comment_id}',
    path: { comment_id },
    query: values.commentQuery,
  },
  {
    weight: 5,
    route: 'GET /rest/bug/comment/tags/{query}',
    by: values.byTaggers,
    path: { query: values.tagQuery },
    query: fields({ limit: fc.constantFrom('0', '1', '2', '', '99') }),
  },
  {
    weight: 3,
    route: 'GET /rest/bug',
    query: fields({
      id: fc.constantFrom('1,2,3', '4,6, 5', '7'),
      alias: fc.array(fc.constantFrom('first', 'FIRST', 'guarded', 'made', 'nosuch'), { maxLength: 2 }),
      product: fc.constantFrom('Alpha', 'secret', 'nosuch', ['Guarded', 'Closed']),
      status: fc.constantFrom('CONFIRMED', ['RESOLVED', 'UNCONFIRMED'], 'resolved', 'NOSUCH'),
      limit: fc.constantFrom('1', '0', '2'),
    }),
  },
  {
    weight: 2,
    route: 'PUT /rest/bug/{id_or_alias}',
    path: { id_or_alias },
    body: fields(
      {
        comment: values.commentWithin,
        ids: fc.array(bugName, { maxLength: 2 }),
        whiteboard: fc.constantFrom('', 'both'),
      },
      ['comment', 'ids'],
    ),
  },
];

const someOf = (kinds: Kind[], named?: Request['path']) =>
  fc.oneof(...kinds.map((one) => ({ weight: one.weight, arbitrary: requestsTo(one, named) })));

/** Arrays of up to `max` elements, also in the first runs, which fast-check would bias towards small ones. */
const upTo = <T>(most: number, one: Arbitrary<T>, least = 0): Arbitrary<T[]> =>
  fc.noBias(fc.array(one, { minLength: least, maxLength: most, size: 'max' }));

/** A write. */
export const write: Arbitrary<Request> = someOf(changing);

/** Requests of all routes of the model. */
export const sequence: Arbitrary<Request[]> = upTo(120, someOf([...changing, ...looking, ...roaming]));

/** The sequential requests of several concurrent clients, mostly about the same item. */
function clientsAt(contested: Kind): Arbitrary<Request[][]> {
  const momentary = [...changing, ...looking];
  return fc.record(contested.path ?? {}).chain((path) => {
    const named = { ...path };
    const others = momentary.filter(
      (one) => String(Object.keys(one.path ?? {})) === String(Object.keys(named)),
    );
    const request = fc.oneof(
      { weight: 3, arbitrary: requestsTo(contested, named) },
      { weight: 2, arbitrary: someOf(others, named) },
      { weight: 2, arbitrary: someOf(momentary) },
    );
    return upTo(3, upTo(5, request, 1), 2);
  });
}

const clients = fc.oneof(...changing.map((one) => ({ weight: one.weight, arbitrary: clientsAt(one) })));

/** Rounds of concurrent requests, all of which are linearizable. */
export const rounds: Arbitrary<Request[][][]> = upTo(8, clients);
