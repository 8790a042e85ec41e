import fc, { type Arbitrary } from 'fast-check';
import { type CallerName, keyOf } from './catalogue.ts';
import * as values from './values.ts';

/** A request, independent of HTTP. */
export interface Request {
  by: CallerName;
  /** method and path template */
  route: string;
  path?: Record<string, string>;
  /** strings, and lists for repeated keys */
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** Converts a request to HTTP. */
export function asHttp({ by, route, path = {}, query = {}, body }: Request) {
  const [method = '', template = ''] = route.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) search.append(name, String(one));
  }
  return { method, target: `${filled}?${search}`, options: { key: keyOf(by), body } };
}

const { commentId: comment_id, bugName: id_or_alias, id_or_name } = values;

/** Arbitrary requests of one route. */
type Kind = [
  /** relative frequency */
  weight: number,
  route: string,
  given: {
    by?: Arbitrary<CallerName>;
    path?: Record<string, Arbitrary<string>>;
    query?: Arbitrary<NonNullable<Request['query']>>;
    body?: Arbitrary<NonNullable<Request['body']>>;
  },
];

const COMMENTS = '/rest/bug/{id_or_alias}/comment';
const BUG = '/rest/bug/{id_or_alias}';
const PRODUCT = '/rest/product/{id_or_name}';
const COMMENT = '/rest/bug/comment/{comment_id}';

const writes: Kind[] = [
  [5, 'POST /rest/product', { by: values.byEditors, body: values.newProduct }],
  [9, `PUT ${PRODUCT}`, { by: values.byEditors, path: { id_or_name }, body: values.productUpdate }],
  [8, `POST ${COMMENTS}`, { path: { id_or_alias }, body: values.newComment }],
  [1, `POST ${COMMENTS}`, { path: { id_or_alias }, body: values.oldComment }],
  [12, `PUT ${COMMENT}/tags`, { by: values.byTaggers, path: { comment_id }, body: values.tagChange }],
  [7, 'POST /rest/bug', { body: values.newBug }],
  [3, `PUT ${BUG}`, { path: { id_or_alias }, body: values.commentingUpdate }],
  [8, `PUT ${BUG}`, { by: values.byEditorsOfBugs, path: { id_or_alias }, body: values.bugUpdate }],
  [2, `PUT ${BUG}`, { path: { id_or_alias }, body: values.updateOfSeveral }],
];

const reads: Kind[] = [
  ...['selectable', 'enterable', 'accessible'].map((type): Kind => [2, `GET /rest/product_${type}`, {}]),
  [4, `GET ${PRODUCT}`, { path: { id_or_name } }],
  [4, 'GET /rest/product', { query: values.productQuery }],
  [7, `GET ${COMMENTS}`, { path: { id_or_alias }, query: values.commentQuery }],
  [4, `GET ${COMMENT}`, { path: { comment_id }, query: values.commentQuery }],
  [2, `GET ${BUG}`, { path: { id_or_alias } }],
  [2, `GET ${BUG}/history`, { path: { id_or_alias } }],
  [5, 'GET /rest/bug/comment/tags/{query}', { by: values.byTaggers, path: { query: values.tagQuery } }],
  [3, 'GET /rest/bug', { query: values.bugQuery }],
];

/** Requests of one of these kinds. */
const someOf = (kinds: Kind[]): Arbitrary<Request> =>
  fc.oneof(
    ...kinds.map(([weight, route, { by = values.anybody, path = {}, query, body }]) => ({
      weight,
      arbitrary: fc.record(
        {
          ...{ by, route: fc.constant(route), path: fc.record(path, { noNullPrototype: true }) },
          ...(query && { query }),
          ...(body && { body }),
        },
        { noNullPrototype: true },
      ),
    })),
  );

/** A write. */
export const write: Arbitrary<Request> = someOf(writes);

/** Up to 120 requests, as many also in the first runs, which fast-check would bias towards few. */
export const sequence: Arbitrary<Request[]> = fc.noBias(
  fc.array(someOf([...writes, ...reads]), { maxLength: 120, size: 'max' }),
);
