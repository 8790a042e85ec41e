import type { BenchRequest } from '../environment.ts';
import { LANDMARKS, LOGIN } from './targets.ts';

/** An operation whose cost is measured at every size of the table. */
export interface Question {
  operation: string;
  /** the request when it is made for the nth time, from 0 */
  ask(n: number): BenchRequest;
  /** number of elements in the response, if it grows with the table */
  things?(answer: string): number;
}

/** What in the table differs from size to size. */
export interface Place {
  /** the bug with the most comments, and the time since which it got the last ten */
  longest: { bug: number; since: string };
  popularTag: string;
  /** a product with many bugs */
  popularProduct: string;
}

/** A part of many tags. */
export const POPULAR_PART = 'e';

/** Every operation. Writes come last, because they add to the responses of the others. */
export function questions({ longest, popularTag, popularProduct }: Place): Question[] {
  const { productId, productName, updatedId, renamedId, bug, alias, comment, commentedBug, firstTagged } =
    LANDMARKS;
  const text = 'It happens here too, with the version of yesterday.';
  const newBug = { product: productName, component: 'Core', version: '1.0', summary: 'One more' };
  const tags = (n: number, body: object) => put(`/rest/bug/comment/${firstTagged + n}/tags`, body);
  const product = new URLSearchParams({ product: popularProduct });
  return [
    { operation: 'product by id', ask: () => get(`/rest/product/${productId}`) },
    { operation: 'product by name', ask: () => get(`/rest/product/${productName}`) },
    { operation: 'comments of a bug', ask: () => get(`/rest/bug/${bug}/comment`) },
    { operation: 'comments by alias', ask: () => get(`/rest/bug/${alias}/comment`) },
    {
      operation: 'last 10 of the longest bug',
      ask: () => get(`/rest/bug/${longest.bug}/comment?new_since=${longest.since}`),
    },
    { operation: 'comment by id', ask: () => get(`/rest/bug/comment/${comment}`) },
    { operation: 'bug by id', ask: () => get(`/rest/bug/${bug}`) },
    { operation: 'history of a bug', ask: () => get(`/rest/bug/${bug}/history`) },
    {
      operation: 'open bugs of a small product',
      ask: () => get(`/rest/bug?product=${productName}&status=__open__&include_fields=id,summary`),
    },
    {
      operation: 'the first 10 open bugs of a large product',
      ask: () => get(`/rest/bug?${product}&status=__open__&limit=10&include_fields=id,summary`),
    },
    {
      operation: 'the 10 bugs that changed last',
      ask: () => get('/rest/bug?order=changeddate%20DESC&limit=10&include_fields=id,last_change_time'),
    },
    ...(['assigned_to', 'creator', 'cc'] as const).map((role) => ({
      operation: `bugs of a user as ${role}`,
      ask: () => get(`/rest/bug?${role}=${LOGIN}&include_fields=id,summary`),
    })),
    {
      operation: 'the 10 bugs that changed first since a time',
      ask: () =>
        get(`/rest/bug?last_change_time=${longest.since}&order=changeddate&limit=10&include_fields=id`),
    },
    { operation: 'bugs by id and alias', ask: () => get(`/rest/bug?id=${bug},${commentedBug},${alias}`) },
    {
      operation: 'quicksearch in a small product',
      ask: () => get(`/rest/bug?quicksearch=product:${productName}%20others&include_fields=id,summary`),
    },
    { operation: 'search a rare tag', ask: () => get(`/rest/bug/comment/tags/${LANDMARKS.rareTag}`) },
    {
      operation: 'ids of all products',
      ask: () => get('/rest/product_accessible'),
      things: countIn(/\d+/g),
    },
    {
      operation: 'all products, id and name',
      ask: () => get('/rest/product?include_fields=id,name'),
      things: countIn(/"id"/g),
    },
    {
      operation: 'tags with a popular part',
      ask: () => get(`/rest/bug/comment/tags/${POPULAR_PART}`),
      things: countIn(/"[^"]+"/g),
    },
    {
      operation: 'the first 10 of them',
      ask: () => get(`/rest/bug/comment/tags/${POPULAR_PART}?limit=10`),
      things: countIn(/"[^"]+"/g),
    },
    {
      operation: 'create comment',
      ask: () => post(`/rest/bug/${commentedBug}/comment`, { comment: text }),
    },
    {
      operation: 'comment on the longest bug',
      ask: () => post(`/rest/bug/${longest.bug}/comment`, { comment: text }),
    },
    { operation: 'add a popular tag', ask: (n) => tags(n, { add: [popularTag] }) },
    { operation: 'remove a popular tag', ask: (n) => tags(n, { remove: [popularTag] }) },
    { operation: 'add a new tag', ask: (n) => tags(n, { add: [`x-new-${n}`] }) },
    { operation: "remove a tag's last use", ask: (n) => tags(n, { remove: [`x-new-${n}`] }) },
    { operation: 'change a bug', ask: (n) => put(`/rest/bug/${commentedBug}`, { whiteboard: `w ${n}` }) },
    { operation: 'create bug', ask: () => post('/rest/bug', newBug) },
    { operation: 'update product', ask: (n) => put(`/rest/product/${updatedId}`, { description: `d ${n}` }) },
    { operation: 'rename product', ask: (n) => put(`/rest/product/${renamedId}`, { name: `Renamed ${n}` }) },
    {
      operation: 'create product',
      ask: (n) => post('/rest/product', { name: `Created ${n}`, description: 'New', version: '1.0' }),
    },
  ];
}

const get = (target: string): BenchRequest => ({ method: 'GET', target });
const post = (target: string, body: object): BenchRequest => ({ method: 'POST', target, body });
const put = (target: string, body: object): BenchRequest => ({ method: 'PUT', target, body });

const countIn = (one: RegExp) => (answer: string) => answer.match(one)?.length ?? 0;
