import type { Bugless } from '../support/bugless.ts';
import { asHttp, type JsonResponse, type Request } from './send-request.ts';
import type { World } from './world.ts';

/** A request that was made, and what came back. */
export interface Played {
  request: Request;
  answer: JsonResponse;
  /** milliseconds of a clock that never goes back */
  began: number;
  ended: number;
  /** the same as the service shows times, to the second */
  seconds: { from: string; to: string };
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
  const [began, from] = [performance.now(), second()];
  const { status, body } = await bugless.call(method, target, options);
  const answer = { status, body: status < 400 ? body : { code: body.code } };
  return { request, answer, began, ended: performance.now(), seconds: { from, to: second() } };
}

const second = () => `${new Date().toISOString().slice(0, 19)}Z`;
