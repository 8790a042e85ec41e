import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './exchange.ts';
import { generatedBy, type StoredValues } from './generated-values.ts';
import { respond } from './model.ts';
import type { JsonResponse } from './send-request.ts';
import type { World } from './world.ts';

/** The world after a request, and the response of the model. */
export function predict(
  world: World,
  exchange: Exchange,
  stored: StoredValues,
): { after: World; response: JsonResponse } {
  const after = structuredClone(world);
  return { after, response: respond(after, exchange.request, generatedBy(exchange, stored)) };
}

/** Whether the request changes nothing. */
const isReadOnly = ({ request, response }: Exchange) =>
  request.route.startsWith('GET ') || response.status >= 400;

/**
 * Checks linearizability of concurrent requests: tries every sequential order that is consistent with the real-time order
 * of requests that do not overlap.
 *
 * @returns the distinct worlds after those orders in which the model gives the responses of the service
 */
export function outcomes(worlds: World[], exchanges: Exchange[], stored: StoredValues): World[] {
  const reached = new Map<string, World[]>();
  const go = (world: World, left: Exchange[]): void => {
    const key = left.map((one) => exchanges.indexOf(one)).join();
    const visited = reached.get(key) ?? [];
    if (visited.some((one) => isDeepStrictEqual(one, world))) return;
    reached.set(key, [...visited, world]);

    const firstEnd = Math.min(...left.map(({ endedAt }) => endedAt));
    const matching = left
      .filter(({ startedAt }) => startedAt <= firstEnd)
      .map((one) => ({ one, ...predict(world, one, stored) }))
      .filter(({ one, response }) => isDeepStrictEqual(response, one.response));
    // A matching read-only request can be placed first without loss of generality.
    const readOnly = matching.find(({ one }) => isReadOnly(one));
    for (const { one, after } of readOnly === undefined ? matching : [readOnly]) {
      go(
        after,
        left.filter((other) => other !== one),
      );
    }
  };
  for (const world of worlds) go(world, exchanges);
  return reached.get('') ?? [];
}
