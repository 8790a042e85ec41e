import { type BenchRequest, get, post, put } from '../environment.ts';
import { LANDMARKS, LOGIN } from './targets.ts';

/** An operation whose cost is measured at every size of the table. */
export interface Question {
  operation: string;
  /** the request when it is made for the nth time, from 0 */
  ask(n: number): BenchRequest;
  /** number of elements in the response, if it grows with the table */
  things: ((answer: string) => number) | undefined;
}

/** What in the table differs from size to size. */
export interface Place {
  /** the bug with the most comments, and the time since which it got the last ten */
  longest: { bug: number; product: string; since: string };
  popularTag: string;
}

/** A part of many tags. */
export const POPULAR_PART = 'e';

const SUMMARY = 'include_fields=id,summary';

/** Every operation. Writes come last, because they add to the responses of the others. */
export function questions({ longest, popularTag }: Place): Question[] {
  const {
    productId,
    productName,
    updatedId,
    renamedId,
    bug,
    alias,
    comment: commentId,
    commentedBug,
    firstTagged,
  } = LANDMARKS;
  const comment = () => ({ comment: 'It happens here too, with the version of yesterday.' });
  const newBug = { product: productName, component: 'Core', version: '1.0', summary: 'One more' };
  const tags = (body: (n: number) => object) => (n: number) =>
    put(`/rest/bug/comment/${firstTagged + n}/tags`, body)(n);
  const product = new URLSearchParams({ product: longest.product });
  const countIn = (one: RegExp) => (answer: string) => answer.match(one)?.length ?? 0;
  const all: [string, Question['ask'], ((answer: string) => number)?][] = [
    ['product by id', get(`/rest/product/${productId}`)],
    ['product by name', get(`/rest/product/${productName}`)],
    ['comments of a bug', get(`/rest/bug/${bug}/comment`)],
    ['comments by alias', get(`/rest/bug/${alias}/comment`)],
    ['last 10 of the longest bug', get(`/rest/bug/${longest.bug}/comment?new_since=${longest.since}`)],
    ['comment by id', get(`/rest/bug/comment/${commentId}`)],
    ['bug by id', get(`/rest/bug/${bug}`)],
    ['history of a bug', get(`/rest/bug/${bug}/history`)],
    ['open bugs of a small product', get(`/rest/bug?product=${productName}&status=__open__&${SUMMARY}`)],
    [
      'the first 10 open bugs of a large product',
      get(`/rest/bug?${product}&status=__open__&limit=10&${SUMMARY}`),
    ],
    [
      'the 10 bugs that changed last',
      get('/rest/bug?order=changeddate%20DESC&limit=10&include_fields=id,last_change_time'),
    ],
    ['bugs of a user as assigned_to', get(`/rest/bug?assigned_to=${LOGIN}&${SUMMARY}`)],
    ['bugs of a user as creator', get(`/rest/bug?creator=${LOGIN}&${SUMMARY}`)],
    ['bugs of a user as cc', get(`/rest/bug?cc=${LOGIN}&${SUMMARY}`)],
    [
      'the 10 bugs that changed first since a time',
      get(`/rest/bug?last_change_time=${longest.since}&order=changeddate&limit=10&include_fields=id`),
    ],
    ['bugs by id and alias', get(`/rest/bug?id=${bug},${commentedBug},${alias}`)],
    [
      'quicksearch in a small product',
      get(`/rest/bug?quicksearch=product:${productName}%20others&${SUMMARY}`),
    ],
    ['search a rare tag', get(`/rest/bug/comment/tags/${LANDMARKS.rareTag}`)],
    ['ids of all products', get('/rest/product_accessible'), countIn(/\d+/g)],
    ['all products, id and name', get('/rest/product?include_fields=id,name'), countIn(/"id"/g)],
    ['tags with a popular part', get(`/rest/bug/comment/tags/${POPULAR_PART}`), countIn(/"[^"]+"/g)],
    ['the first 10 of them', get(`/rest/bug/comment/tags/${POPULAR_PART}?limit=10`), countIn(/"[^"]+"/g)],
    ['create comment', post(`/rest/bug/${commentedBug}/comment`, comment)],
    ['comment on the longest bug', post(`/rest/bug/${longest.bug}/comment`, comment)],
    ['add a popular tag', tags(() => ({ add: [popularTag] }))],
    ['remove a popular tag', tags(() => ({ remove: [popularTag] }))],
    ['add a new tag', tags((n) => ({ add: [`x-new-${n}`] }))],
    ["remove a tag's last use", tags((n) => ({ remove: [`x-new-${n}`] }))],
    ['change a bug', put(`/rest/bug/${commentedBug}`, (n) => ({ whiteboard: `w ${n}` }))],
    ['create bug', post('/rest/bug', () => newBug)],
    ['update product', put(`/rest/product/${updatedId}`, (n) => ({ description: `d ${n}` }))],
    ['rename product', put(`/rest/product/${renamedId}`, (n) => ({ name: `Renamed ${n}` }))],
    [
      'create product',
      post('/rest/product', (n) => ({ name: `Created ${n}`, description: 'New', version: '1.0' })),
    ],
  ];
  return all.map(([operation, ask, things]) => ({ operation, ask, things }));
}
