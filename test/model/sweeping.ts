import type { Bugless } from '../support/bugless.ts';
import type { Request } from './asking.ts';
import { foretell, type Played, play } from './playing.ts';
import type { Asker } from './start.ts';
import type { World } from './world.ts';

const EVERYBODY: Asker[] = ['admin', 'editor', 'insider', 'secret', 'tracker', 'plain', 'nobody'];

/** All that one can read of a world: every list, every product, bug and comment. */
function readsOf(by: Asker, { products, bugs }: World): Request[] {
  const read = (route: string, more: Partial<Request> = {}): Request => ({
    by,
    route: `GET ${route}`,
    ...more,
  });
  const ids = products.map(({ id }) => String(id));
  const comments = bugs.flatMap((bug) => bug.comments);
  return [
    ...['selectable', 'enterable', 'accessible'].map((type) => read(`/rest/product_${type}`)),
    read('/rest/product'),
    read('/rest/product', { query: { ids, include_fields: 'id,name' } }),
    read('/rest/product', { query: { names: products.map(({ name }) => name) } }),
    read('/rest/bug', { query: { id: bugs.map(({ id }) => String(id)) } }),
    ...bugs.map(({ id }) => read('/rest/bug/{id_or_alias}/comment', { path: { id_or_alias: String(id) } })),
    ...comments.map(({ id }) => read('/rest/bug/comment/{comment_id}', { path: { comment_id: String(id) } })),
    ...['e', 's', '2'].map((query) => read('/rest/bug/comment/tags/{query}', { path: { query } })),
  ];
}

const AT_ONCE = 8;

/** Makes everybody read everything that there is. */
export async function sweep(bugless: Bugless, world: World): Promise<Played[]> {
  const requests = EVERYBODY.flatMap((by) => readsOf(by, world));
  const played: Played[] = [];
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const some = requests.slice(at, at + AT_ONCE).map((request) => play(bugless, request));
    played.push(...(await Promise.all(some)));
  }
  return played;
}

/** What the model answers to the requests of a sweep. */
export const foretold = (world: World, swept: Played[]) =>
  swept.map((one) => ({ request: one.request, answer: foretell(world, one).answer }));
