import type { Bugless } from '../support/bugless.ts';
import { type Exchange, send } from './exchange.ts';
import type { GeneratedValues } from './model.ts';
import type { JsonResponse } from './send-request.ts';
import type { World } from './world.ts';

/** Ids and times that the service has generated, as read by a user with all rights. */
export interface StoredValues {
  /** by bug, in the order of the comments */
  comments: Record<string, { comments: { id: number; time: string }[] }>;
  products: { id: number; versions: { id: number }[]; milestones: { id: number }[] }[];
}

const NO_VALUES: StoredValues = { comments: {}, products: [] };

/** Reads the generated values of the world and of the items that these requests created. */
export async function readStoredValues(
  bugless: Bugless,
  world: World,
  exchanges: Exchange[],
): Promise<StoredValues> {
  const made = (route: string) =>
    exchanges
      .filter(({ request, response }) => request.route === route && response.status < 400)
      .map(({ response }) => String(idIn(response)));
  const isChange = ({ request, response }: Exchange) =>
    !request.route.startsWith('GET ') && response.status < 400;
  if (!exchanges.some(isChange)) return NO_VALUES;
  const read = async (route: string, ids: string[], include_fields: string): Promise<unknown> =>
    (await send(bugless, { by: 'admin', route, query: { ids, include_fields } })).response.body;
  const bugs = [...world.bugs.map(({ id }) => String(id)), ...made('POST /rest/bug')];
  const products = made('POST /rest/product');
  const ofBugs = await read(`GET /rest/bug/${bugs[0]}/comment`, bugs, 'id,time');
  const ofProducts =
    products.length > 0 && (await read('GET /rest/product', products, 'id,versions,milestones'));
  return {
    comments: (ofBugs as { bugs: StoredValues['comments'] }).bugs,
    products: ofProducts === false ? [] : (ofProducts as Pick<StoredValues, 'products'>).products,
  };
}

interface Changed {
  bugs?: { id: number; last_change_time: string }[];
}

const changeTime = ({ body }: JsonResponse, bug: number): string =>
  (body as Changed).bugs?.find(({ id }) => id === bug)?.last_change_time ?? '';

const idIn = ({ body }: JsonResponse) => (body as { id?: number }).id;

/** The generated values that the model uses for one request. */
export function generatedBy(
  { response, seconds }: Exchange,
  { comments, products }: StoredValues,
): GeneratedValues {
  return {
    id: idIn(response),
    comment(bug, count, before) {
      const given = comments[bug]?.comments[count] ?? { id: -1, time: '' };
      const [from, to] = [later(seconds.from, before), later(seconds.to, before)];
      return given.time >= from && given.time <= to ? given : { ...given, time: `from ${from} to ${to}` };
    },
    change(bug, before) {
      const time = changeTime(response, bug);
      const [from, to] = [later(seconds.from, before), later(seconds.to, before)];
      return time >= from && time <= to ? time : `from ${from} to ${to}`;
    },
    lastChange(bug, least) {
      const time = changeTime(response, bug);
      return time <= later(seconds.to, least) ? later(time, least) : least;
    },
    partsOf(product) {
      const made = products.find((one) => one.id === product);
      return { version: made?.versions[0]?.id ?? -1, milestone: made?.milestones[0]?.id ?? -1 };
    },
  };
}

const later = (a: string, b: string) => (a > b ? a : b);
