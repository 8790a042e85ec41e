import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cost, cheaper, costOf } from './capacity.ts';
import { ADMIN, type BenchRequest, get, openGround, openHandlers, post, put, USER } from './environment.ts';
import { printTable, rounded } from './print.ts';

/** A name, and the request when it is made for the nth time. */
type Operation = [string, (n: number) => BenchRequest];

const NEW_BUG = {
  product: 'Alpha',
  component: 'Core',
  version: '1.0',
  summary: 'One more',
  description: 'text',
};
const SUMMARY = 'include_fields=id,summary';
/** Data that does not compress. */
const fileOf = (bytes: number) => ({
  file_name: 'f',
  summary: 's',
  content_type: 'application/octet-stream',
  data: randomBytes(bytes).toString('base64'),
});
const ATTACHMENTS = { large: fileOf(1_000_000), small: fileOf(10_000) };
const TAGS = '/rest/bug/comment/13/tags';

/** A request of every operation. */
const requests: Operation[] = [
  ['ids of accessible products', get('/rest/product_accessible')],
  ['product by id', get('/rest/product/2')],
  ['product by id, id and name', get('/rest/product/2?include_fields=id,name')],
  ['product by id, without components', get('/rest/product/2?exclude_fields=components')],
  ['product by name', get('/rest/product/alpha')],
  ['all products', get('/rest/product?type=accessible')],
  ['all products, id and name', get('/rest/product?include_fields=id,name')],
  ['create product', post('/rest/product', (n) => ({ name: `Bench ${n}`, description: 'd', version: '1' }))],
  ['update product', put('/rest/product/12', (n) => ({ description: `d ${n}` }))],
  ['rename product', put('/rest/product/13', (n) => ({ name: `Renamed ${n}` }))],
  ['update of 3 products', put('/rest/product/4', (n) => ({ ids: [5, 6], description: `d ${n}` }))],
  ['comments of a bug', get('/rest/bug/8/comment')],
  ['comments of a bug, new_since', get('/rest/bug/8/comment?new_since=2024-01-12')],
  ['comments of a bug by alias', get('/rest/bug/alpha-bug/comment')],
  ['newest 100 comments of a bug', get('/rest/bug/8/comment?order=newest&limit=100')],
  ['comment by id', get('/rest/bug/comment/10')],
  ['create comment', post('/rest/bug/7/comment', () => ({ comment: 'text' }))],
  ['create comment by alias', post('/rest/bug/write-bug/comment', () => ({ comment: 'text' }))],
  ['bug by id', get('/rest/bug/8')],
  ['history of a bug', get('/rest/bug/1/history')],
  ['newest 100 changes of a bug', get('/rest/bug/1/history?order=newest&limit=100')],
  ['bug by id, with its version', get('/rest/bug/8?include_fields=id,bugless_version')],
  ['bug as XML', get('/rest/bugless/bug.xml?id=8')],
  ['open bugs of a product as CSV', get('/rest/bugless/list.csv?product=Alpha&bug_status=__open__')],
  ['open bugs of a product as Atom', get('/rest/bugless/list.atom?product=Alpha&bug_status=__open__')],
  ['bugs by ids', get(`/rest/bug?id=1,2,3&${SUMMARY}`)],
  ['open bugs of a product', get(`/rest/bug?product=Alpha&status=__open__&${SUMMARY}`)],
  ['bugs of an assignee', get(`/rest/bug?assigned_to=user@example.com&${SUMMARY}`)],
  [
    'the 10 bugs that changed last',
    get('/rest/bug?order=changeddate%20DESC&limit=10&include_fields=id,last_change_time'),
  ],
  ['quicksearch', get(`/rest/bug?quicksearch=bug&${SUMMARY}`)],
  ['legal values', get('/rest/field/bug/priority/values')],
  ['create bug', post('/rest/bug', () => NEW_BUG)],
  ['change a field of a bug', put('/rest/bug/7', (n) => ({ whiteboard: `w ${n}` }))],
  ['change a field and comment', put('/rest/bug/7', (n) => ({ whiteboard: `w ${n}`, comment: 'text' }))],
  [
    'add users to CC of 3 bugs',
    put('/rest/bug/1', (n) => ({ ids: [2, 7], whiteboard: `w ${n}`, cc: { add: ['plain@example.com'] } })),
  ],
  ['list attachments, without data', get('/rest/bug/9/attachment?exclude_fields=data')],
  ['read an attachment of 1 MB', get('/rest/bug/attachment/1')],
  ['read an attachment of 10 KB', get('/rest/bug/attachment/2')],
  ['attach 1 MB', post('/rest/bug/9/attachment', () => ATTACHMENTS.large)],
  ['attach 10 KB', post('/rest/bug/9/attachment', () => ATTACHMENTS.small)],
  ['set a flag', put('/rest/bug/3', () => ({ flags: [{ name: 'needinfo', status: '?', new: true }] }))],
  ['clear a flag', put('/rest/bug/3', () => ({ flags: [{ name: 'needinfo', status: 'X' }] }))],
  ['flag types of a product', get('/rest/flag_type/Alpha')],
  ['a group', get('/rest/group?names=insiders')],
  ['update a group', put('/rest/group/insiders', (n) => ({ description: `d ${n}` }))],
  ['update a user', put('/rest/user/plain@example.com', (n) => ({ full_name: `n ${n}` }))],
  [
    'create a component',
    post('/rest/component', (n) => ({
      ...{ product: 'Alpha', name: `Bench ${n}`, description: 'd', default_assignee: 'user@example.com' },
    })),
  ],
  ['search tags', get('/rest/bug/comment/tags/spam')],
  ['add a tag in use', put(TAGS, () => ({ add: ['spam'] }))],
  ['remove a tag in use', put(TAGS, () => ({ remove: ['spam'] }))],
  ['add a new tag of 10 characters', put(TAGS, () => ({ add: ['brand-new-'] }))],
  ['remove its last use', put(TAGS, () => ({ remove: ['brand-new-'] }))],
  ['version', get('/rest/version')],
];

const ROUNDS = 3;

/** Per operation: DynamoDB calls, the longest chain of sequential calls, and capacity units. */
export async function operations(): Promise<void> {
  const costs = await measuredCosts();
  printTable(
    'Calls to DynamoDB and capacity of each operation (credentials included)',
    [...costs].map(([operation, cost]) => ({
      operation,
      calls: cost.calls,
      'in sequence': cost.inSequence,
      'read units': rounded(cost.readUnits, 1),
      'write units': rounded(cost.writeUnits, 1),
    })),
  );
}

/** Runs every operation on the reference data. */
export async function measuredCosts(): Promise<Map<string, Cost>> {
  const ground = await openGround();
  const { meter } = ground;
  const { invoke } = await openHandlers(ground.table.name, meter.endpoint);
  // The attachments 1 and 2, to be read.
  for (const body of [ATTACHMENTS.large, ATTACHMENTS.small]) {
    await invoke({ method: 'POST', target: '/rest/bug/9/attachment', key: ADMIN, body });
  }
  const costs = new Map<string, Cost>();
  let times = 0;
  // The functions cache the product index when its last change is 30 seconds old.
  await sleep(31_000);
  const isRead = ([, make]: Operation) => make(0).method === 'GET';
  const reads = requests.filter(isRead);
  const writes = requests.filter((operation) => !isRead(operation));
  for (const all of [reads, writes])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [operation, make] of all) {
        for (const key of callersOf(operation, make(0).method)) {
          meter.take();
          const { statusCode, body } = await invoke({ ...make(++times), key });
          if (statusCode >= 300) throw new Error(`${operation}: ${statusCode} ${body}`);
          const name = `${operation}, ${key === undefined ? 'anonymous' : 'user'}`;
          costs.set(name, cheaper(costs.get(name), costOf(meter.take(), Buffer.byteLength(body))));
        }
      }
    }
  await ground.stop();
  return costs;
}

function callersOf(operation: string, method: string): (string | undefined)[] {
  if (operation.includes('tag')) return [USER];
  return method === 'GET' && !operation.includes('group') ? [undefined, ADMIN] : [ADMIN];
}
