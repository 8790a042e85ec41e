import type { Table } from '../../lib/table/client.ts';
import type { Bugless } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';
import { type Exchange, send } from './exchange.ts';
import type { CallerName } from './initial-catalogue.ts';
import { respond } from './model.ts';
import type { JsonResponse, Request } from './send-request.ts';
import type { World } from './world.ts';

/** Requests that read the whole world, or are refused. */
function readsOf(by: CallerName, world: World): Request[] {
  const read = (route: string, more: Partial<Request> = {}): Request => ({
    by,
    route: `GET ${route}`,
    ...more,
  });
  const products = world.products.map(({ id }) => String(id));
  const bugs = world.bugs.map(({ id }) => String(id));
  const comments = world.bugs.flatMap((bug) => bug.comments).map(({ id }) => String(id));
  return [
    ...['selectable', 'enterable', 'accessible'].map((type) => read(`/rest/product_${type}`)),
    read('/rest/product'),
    read('/rest/product', { query: { ids: products, include_fields: 'id,name' } }),
    read('/rest/bug'),
    read('/rest/bug', { query: { id: bugs, status: 'RESOLVED' } }),
    ...bugs.map((id) => read('/rest/bug/{id_or_alias}/history', { path: { id_or_alias: id } })),
    ...inFewRequests(world, bugs, ([first = '', ...ids]) =>
      read('/rest/bug/{id_or_alias}/comment', { path: { id_or_alias: first }, query: { ids } }),
    ),
    ...inFewRequests(world, comments, ([first = '', ...comment_ids]) =>
      read('/rest/bug/comment/{comment_id}', { path: { comment_id: first }, query: { comment_ids } }),
    ),
    ...['e', 's'].map((query) => read('/rest/bug/comment/tags/{query}', { path: { query } })),
  ];
}

/** One request for all readable ids, and one for each refused id, which would fail the others. */
function inFewRequests(world: World, ids: string[], request: (ids: string[]) => Request): Request[] {
  const isReadable = (id: string) => respond(world, request([id])).status === 200;
  const readable = ids.filter(isReadable);
  const refused = ids.filter((id) => !readable.includes(id)).map((id) => request([id]));
  return readable.length === 0 ? refused : [request(readable), ...refused];
}

const CONCURRENCY = 8;

/** Reads the whole state as each of the readers. */
export async function readState(bugless: Bugless, world: World, readers: CallerName[]): Promise<Exchange[]> {
  const requests = readers.flatMap((by) => readsOf(by, world));
  const exchanges: Exchange[] = [];
  for (let at = 0; at < requests.length; at += CONCURRENCY) {
    const some = requests.slice(at, at + CONCURRENCY).map((request) => send(bugless, request));
    exchanges.push(...(await Promise.all(some)));
  }
  return exchanges;
}

/** Requests with the responses of the service or of the model. */
export type Responses = { request: Request; response: JsonResponse }[];

export const responsesOf = (state: Exchange[]): Responses =>
  state.map(({ request, response }) => ({ request, response }));

/** The responses of the model to the requests of `readState`. */
export const predicted = (world: World, state: Exchange[]): Responses =>
  state.map(({ request }) => ({ request, response: respond(world, request) }));

/** The hours worked on each bug, which the interface does not return. */
export async function hoursWorked(table: Table): Promise<Map<unknown, unknown>> {
  const bugs = (await allItems(table)).filter(({ sk }) => sk === 'BUG');
  return new Map(bugs.map(({ id, hours_worked }) => [id, hours_worked]));
}
