import { isDeepStrictEqual } from 'node:util';
import type { Bugless } from '../support/bugless.ts';
import { type Answer, asHttp, type Request } from './asking.ts';
import { answerTo, type Learned } from './model.ts';
import type { World } from './world.ts';

/** A request that was made, what came back, and when: milliseconds since 1970. */
export interface Played {
  request: Request;
  answer: Answer;
  began: number;
  ended: number;
}

/** The request with what it says about times in place of `at <id>`: the time of that comment. */
export function dated(request: Request, { bugs }: World): Request {
  const id = /^at (\d+)$/.exec(String(request.query?.['new_since']))?.[1];
  if (id === undefined) return request;
  const comment = bugs.flatMap(({ comments }) => comments).find((one) => one.id === Number(id));
  return { ...request, query: { ...request.query, new_since: comment?.time ?? '2024-01-02T00:00:00Z' } };
}

/** Makes a request of the service. */
export async function play(bugless: Bugless, request: Request): Promise<Played> {
  const { method, target, options } = asHttp(request);
  const began = Date.now();
  const { status, body } = await bugless.call(method, target, options);
  return {
    request,
    answer: { status, body: status < 400 ? body : { code: body.code } },
    began,
    ended: Date.now(),
  };
}

/** The ids and times that the service gave, as somebody reads them who sees everything. */
export interface Facts {
  /** of each bug, in the order of the comments */
  comments: Record<string, { comments: { id: number; time: string }[] }>;
  products: { id: number; versions: { id: number }[]; milestones: { id: number }[] }[];
}

const NO_FACTS: Facts = { comments: {}, products: [] };

/** Reads what the service has given to the things of the world, and to those that these requests made. */
export async function readFacts(bugless: Bugless, world: World, played: Played[]): Promise<Facts> {
  const made = (route: string) =>
    played
      .filter(({ request, answer }) => request.route === route && answer.status === 201)
      .map(({ answer }) => String(idIn(answer)));
  const isChange = ({ request, answer }: Played) => !request.route.startsWith('GET ') && answer.status < 400;
  if (!played.some(isChange)) return NO_FACTS;
  const read = async (route: string, ids: string[], include_fields: string): Promise<unknown> =>
    (await play(bugless, { by: 'admin', route, query: { ids, include_fields } })).answer.body;
  const bugs = [...world.bugs.map(({ id }) => String(id)), ...made('POST /rest/bug')];
  const products = made('POST /rest/product');
  const comments = await read(`GET /rest/bug/${bugs[0]}/comment`, bugs, 'id,time');
  return {
    comments: (comments as { bugs: Facts['comments'] }).bugs,
    products:
      products.length === 0
        ? []
        : ((await read('GET /rest/product', products, 'id,versions,milestones')) as Pick<Facts, 'products'>)
            .products,
  };
}

interface Changed {
  bugs?: { id: number; last_change_time: string }[];
}

const idIn = ({ body }: Answer) => (body as { id?: number }).id;

/** What the model may take over of the facts for its answer to one request. */
function learnedOf({ answer, began, ended }: Played, { comments, products }: Facts): Learned {
  return {
    id: idIn(answer),
    comment(bug, count, before) {
      const given = comments[bug]?.comments[count] ?? { id: -1, time: '' };
      const isInTime =
        given.time >= later(secondOf(began), before) && given.time <= later(secondOf(ended), before);
      return isInTime
        ? given
        : { ...given, time: `from ${later(secondOf(began), before)} to ${secondOf(ended)}` };
    },
    lastChange(bug, least) {
      const told = (answer.body as Changed).bugs?.find(({ id }) => id === bug)?.last_change_time ?? '';
      const isOfComment = comments[bug]?.comments.some(({ time }) => time === told) ?? false;
      return isOfComment ? later(told, least) : least;
    },
    partsOf(product) {
      const made = products.find((one) => one.id === product);
      return { version: made?.versions[0]?.id ?? -1, milestone: made?.milestones[0]?.id ?? -1 };
    },
  };
}

const secondOf = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;
const later = (a: string, b: string) => (a > b ? a : b);

/** The world after a request, and what the model would have answered. */
export function foretell(world: World, played: Played, facts = NO_FACTS): { after: World; answer: Answer } {
  const isRead = played.request.route.startsWith('GET ');
  const after = isRead ? world : structuredClone(world);
  return { after, answer: answerTo(after, played.request, learnedOf(played, facts)) };
}

/**
 * All worlds, each once, that there can be after requests that overlapped: for each order of them in which the
 * model answers all as the service did, and in which none comes before another that had ended when it began.
 */
export function outcomes(worlds: World[], played: Played[], facts: Facts): World[] {
  const reached = new Map<string, World[]>();
  const go = (world: World, left: Played[]): void => {
    const place = left.map((one) => played.indexOf(one)).join();
    const known = reached.get(place) ?? [];
    if (known.some((one) => isDeepStrictEqual(one, world))) return;
    reached.set(place, [...known, world]);

    const firstEnd = Math.min(...left.map(({ ended }) => ended));
    const fitting = left
      .filter(({ began }) => began <= firstEnd)
      .map((one) => ({ one, ...foretell(world, one, facts) }))
      .filter(({ one, answer }) => isDeepStrictEqual(answer, one.answer));
    // What fits now and changes nothing can as well come now: no other order has to be tried for its sake.
    const unchanging = fitting.find(({ after }) => isDeepStrictEqual(after, world));
    for (const { one, after } of unchanging === undefined ? fitting : [unchanging]) {
      go(
        after,
        left.filter((other) => other !== one),
      );
    }
  };
  for (const world of worlds) go(world, played);
  return reached.get('') ?? [];
}
