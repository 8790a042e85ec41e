import type { Table } from '../../lib/dynamodb/client.ts';
import type { Bugless } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';
import { answerTo } from './model.ts';
import { type Played, play } from './play.ts';
import type { JsonResponse, Request } from './send-request.ts';
import type { Asker } from './start.ts';
import type { World } from './world.ts';

/** All that one can read of a world, and all that is refused. */
function readsOf(by: Asker, world: World): Request[] {
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

/** What is answered in one request, and what is refused in one each: it would spoil the others. */
function inFewRequests(world: World, ids: string[], request: (ids: string[]) => Request): Request[] {
  const isAnswered = (id: string) => answerTo(world, request([id])).status === 200;
  const answered = ids.filter(isAnswered);
  const refused = ids.filter((id) => !answered.includes(id)).map((id) => request([id]));
  return answered.length === 0 ? refused : [request(answered), ...refused];
}

const AT_ONCE = 8;

/** Makes them read everything that there is. */
export async function sweep(bugless: Bugless, world: World, readers: Asker[]): Promise<Played[]> {
  const requests = readers.flatMap((by) => readsOf(by, world));
  const played: Played[] = [];
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const some = requests.slice(at, at + AT_ONCE).map((request) => play(bugless, request));
    played.push(...(await Promise.all(some)));
  }
  return played;
}

/** Requests with their answers, of the service or of the model. */
export type Answered = { request: Request; answer: JsonResponse }[];

export const answersOf = (swept: Played[]): Answered =>
  swept.map(({ request, answer }) => ({ request, answer }));

/** What the model answers to the requests of a sweep. */
export const foretold = (world: World, swept: Played[]): Answered =>
  swept.map(({ request }) => ({ request, answer: answerTo(world, request) }));

/** The hours worked on each bug: what is written over the interface, and cannot be read there. */
export async function hoursWorked(table: Table): Promise<Map<unknown, unknown>> {
  const bugs = (await allItems(table)).filter(({ sk }) => sk === 'BUG');
  return new Map(bugs.map(({ id, hours_worked }) => [id, hours_worked]));
}
