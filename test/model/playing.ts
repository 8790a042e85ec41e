import type { Bugless } from '../support/bugless.ts';
import { type Answer, asHttp, type Request } from './asking.ts';
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
