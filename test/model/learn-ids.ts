import type { Bugless } from '../support/bugless.ts';
import type { Learned } from './model.ts';
import { type Played, play } from './play.ts';
import type { JsonResponse } from './send-request.ts';
import type { World } from './world.ts';

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
      .filter(({ request, answer }) => request.route === route && answer.status < 400)
      .map(({ answer }) => String(idIn(answer)));
  const isChange = ({ request, answer }: Played) => !request.route.startsWith('GET ') && answer.status < 400;
  if (!played.some(isChange)) return NO_FACTS;
  const read = async (route: string, ids: string[], include_fields: string): Promise<unknown> =>
    (await play(bugless, { by: 'admin', route, query: { ids, include_fields } })).answer.body;
  const bugs = [...world.bugs.map(({ id }) => String(id)), ...made('POST /rest/bug')];
  const products = made('POST /rest/product');
  const ofBugs = await read(`GET /rest/bug/${bugs[0]}/comment`, bugs, 'id,time');
  const ofProducts =
    products.length > 0 && (await read('GET /rest/product', products, 'id,versions,milestones'));
  return {
    comments: (ofBugs as { bugs: Facts['comments'] }).bugs,
    products: ofProducts === false ? [] : (ofProducts as Pick<Facts, 'products'>).products,
  };
}

interface Changed {
  bugs?: { id: number; last_change_time: string }[];
}

const changeTime = ({ body }: JsonResponse, bug: number): string =>
  (body as Changed).bugs?.find(({ id }) => id === bug)?.last_change_time ?? '';

const idIn = ({ body }: JsonResponse) => (body as { id?: number }).id;

/** What the model may take over of the facts for its answer to one request. */
export function learnedOf({ answer, seconds }: Played, { comments, products }: Facts): Learned {
  return {
    id: idIn(answer),
    comment(bug, count, before) {
      const given = comments[bug]?.comments[count] ?? { id: -1, time: '' };
      const [from, to] = [later(seconds.from, before), later(seconds.to, before)];
      return given.time >= from && given.time <= to ? given : { ...given, time: `from ${from} to ${to}` };
    },
    change(bug, before) {
      const time = changeTime(answer, bug);
      const [from, to] = [later(seconds.from, before), later(seconds.to, before)];
      return time >= from && time <= to ? time : `from ${from} to ${to}`;
    },
    lastChange(bug, least) {
      const time = changeTime(answer, bug);
      return time <= later(seconds.to, least) ? later(time, least) : least;
    },
    partsOf(product) {
      const made = products.find((one) => one.id === product);
      return { version: made?.versions[0]?.id ?? -1, milestone: made?.milestones[0]?.id ?? -1 };
    },
  };
}

const later = (a: string, b: string) => (a > b ? a : b);
