import { isDeepStrictEqual } from 'node:util';
import { type Facts, learnedOf } from './learn-ids.ts';
import { answerTo } from './model.ts';
import type { Played } from './play.ts';
import type { JsonResponse } from './send-request.ts';
import type { World } from './world.ts';

/** The world after a request, and what the model would have answered. */
export function foretell(world: World, played: Played, facts: Facts): { after: World; answer: JsonResponse } {
  const after = structuredClone(world);
  return { after, answer: answerTo(after, played.request, learnedOf(played, facts)) };
}

/** Whether the request, answered so, changes nothing whenever it comes. */
const isHarmless = ({ request, answer }: Played) => request.route.startsWith('GET ') || answer.status >= 400;

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
    // What is harmless and fits now can as well come now: no other order has to be tried for its sake.
    const harmless = fitting.find(({ one }) => isHarmless(one));
    for (const { one, after } of harmless === undefined ? fitting : [harmless]) {
      go(
        after,
        left.filter((other) => other !== one),
      );
    }
  };
  for (const world of worlds) go(world, played);
  return reached.get('') ?? [];
}
