import { setTimeout as sleep } from 'node:timers/promises';
import { type Cost, cheaper, costOf } from './capacity.ts';
import { ADMIN, type BenchRequest, openGround, openHandlers, USER } from './environment.ts';
import { startMeter } from './meter.ts';
import { printTable, rounded } from './print.ts';

let product = 0;

const NEW_BUG = { product: 'Alpha', component: 'Core', version: '1.0', description: 'text' };

/** A name and a request. */
type Operation = [string, () => BenchRequest];

/** A request of every operation. */
const requests: Operation[] = [
  ['ids of accessible products', () => ({ method: 'GET', target: '/rest/product_accessible' })],
  ['product by id', () => ({ method: 'GET', target: '/rest/product/2' })],
  ['product by id, id and name', () => ({ method: 'GET', target: '/rest/product/2?include_fields=id,name' })],
  [
    'product by id, without components',
    () => ({ method: 'GET', target: '/rest/product/2?exclude_fields=components' }),
  ],
  ['product by name', () => ({ method: 'GET', target: '/rest/product/alpha' })],
  ['all products', () => ({ method: 'GET', target: '/rest/product?type=accessible' })],
  ['all products, id and name', () => ({ method: 'GET', target: '/rest/product?include_fields=id,name' })],
  [
    'create product',
    () => ({
      method: 'POST',
      target: '/rest/product',
      body: { name: `Bench ${++product}`, description: 'd', version: '1' },
    }),
  ],
  [
    'update product',
    () => ({ method: 'PUT', target: '/rest/product/12', body: { description: `d ${++product}` } }),
  ],
  [
    'rename product',
    () => ({ method: 'PUT', target: '/rest/product/13', body: { name: `Renamed ${++product}` } }),
  ],
  [
    'update of 3 products',
    () => ({
      method: 'PUT',
      target: '/rest/product/4',
      body: { ids: [5, 6], description: `d ${++product}` },
    }),
  ],
  ['comments of a bug', () => ({ method: 'GET', target: '/rest/bug/8/comment' })],
  [
    'comments of a bug, new_since',
    () => ({ method: 'GET', target: '/rest/bug/8/comment?new_since=2024-01-12' }),
  ],
  ['comments of a bug by alias', () => ({ method: 'GET', target: '/rest/bug/alpha-bug/comment' })],
  ['comment by id', () => ({ method: 'GET', target: '/rest/bug/comment/10' })],
  ['create comment', () => ({ method: 'POST', target: '/rest/bug/7/comment', body: { comment: 'text' } })],
  [
    'create comment by alias',
    () => ({ method: 'POST', target: '/rest/bug/write-bug/comment', body: { comment: 'text' } }),
  ],
  ['bug by id', () => ({ method: 'GET', target: '/rest/bug/8' })],
  ['history of a bug', () => ({ method: 'GET', target: '/rest/bug/1/history' })],
  ['bugs by ids', () => ({ method: 'GET', target: '/rest/bug?id=1,2,3&include_fields=id,summary' })],
  [
    'open bugs of a product',
    () => ({ method: 'GET', target: '/rest/bug?product=Alpha&status=__open__&include_fields=id,summary' }),
  ],
  [
    'bugs of an assignee',
    () => ({ method: 'GET', target: '/rest/bug?assigned_to=user@example.com&include_fields=id,summary' }),
  ],
  [
    'the 10 bugs that changed last',
    () => ({
      method: 'GET',
      target: '/rest/bug?order=changeddate%20DESC&limit=10&include_fields=id,last_change_time',
    }),
  ],
  ['quicksearch', () => ({ method: 'GET', target: '/rest/bug?quicksearch=bug&include_fields=id,summary' })],
  ['legal values', () => ({ method: 'GET', target: '/rest/field/bug/priority/values' })],
  ['create bug', () => ({ method: 'POST', target: '/rest/bug', body: { ...NEW_BUG, summary: 'One more' } })],
  [
    'change a field of a bug',
    () => ({ method: 'PUT', target: '/rest/bug/7', body: { whiteboard: `w ${++product}` } }),
  ],
  [
    'change a field and comment',
    () => ({ method: 'PUT', target: '/rest/bug/7', body: { whiteboard: `w ${++product}`, comment: 'text' } }),
  ],
  [
    'add users to CC of 3 bugs',
    () => ({
      method: 'PUT',
      target: '/rest/bug/1',
      body: { ids: [2, 7], whiteboard: `w ${++product}`, cc: { add: ['plain@example.com'] } },
    }),
  ],
  ['search tags', () => ({ method: 'GET', target: '/rest/bug/comment/tags/spam' })],
  [
    'add a tag in use',
    () => ({ method: 'PUT', target: '/rest/bug/comment/13/tags', body: { add: ['spam'] } }),
  ],
  [
    'remove a tag in use',
    () => ({ method: 'PUT', target: '/rest/bug/comment/13/tags', body: { remove: ['spam'] } }),
  ],
  [
    'add a new tag of 10 characters',
    () => ({ method: 'PUT', target: '/rest/bug/comment/13/tags', body: { add: ['brand-new-'] } }),
  ],
  [
    'remove its last use',
    () => ({ method: 'PUT', target: '/rest/bug/comment/13/tags', body: { remove: ['brand-new-'] } }),
  ],
  ['version', () => ({ method: 'GET', target: '/rest/version' })],
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
  const meter = await startMeter(ground.endpoint);
  const { invoke } = await openHandlers(ground.table.name, meter.endpoint);
  const costs = new Map<string, Cost>();
  // The functions cache the product index when its last change is 5 seconds old.
  await sleep(6_000);
  const isRead = ([, make]: Operation) => make().method === 'GET';
  const reads = requests.filter(isRead);
  const writes = requests.filter((operation) => !isRead(operation));
  for (const all of [reads, writes])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [operation, make] of all) {
        for (const key of callersOf(operation, make().method)) {
          meter.take();
          const { statusCode, body } = await invoke({ ...make(), key });
          if (statusCode >= 300) throw new Error(`${operation}: ${statusCode} ${body}`);
          const name = `${operation}, ${key === undefined ? 'anonymous' : 'user'}`;
          costs.set(name, cheaper(costs.get(name), costOf(meter.take(), Buffer.byteLength(body))));
        }
      }
    }
  await meter.stop();
  await ground.stop();
  return costs;
}

function callersOf(operation: string, method: string): (string | undefined)[] {
  if (operation.includes('tag')) return [USER];
  return method === 'GET' ? [undefined, ADMIN] : [ADMIN];
}
