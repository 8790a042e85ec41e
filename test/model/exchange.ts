import type { Bugless } from '../support/bugless.ts';
import { asHttp, type JsonResponse, type Request } from './send-request.ts';
import type { World } from './world.ts';

/** A request and its response. */
export interface Exchange {
  request: Request;
  response: JsonResponse;
  /** milliseconds of a monotonic clock */
  startedAt: number;
  endedAt: number;
  /** the same as timestamps of the service */
  seconds: { from: string; to: string };
}

/** Replaces `at <id>` in a request by the time of that comment. */
export function resolveTimes(request: Request, { bugs }: World): Request {
  const id = /^at (\d+)$/.exec(String(request.query?.['new_since']))?.[1];
  if (id === undefined) return request;
  const comment = bugs.flatMap(({ comments }) => comments).find((one) => one.id === Number(id));
  return { ...request, query: { ...request.query, new_since: comment?.time ?? '2024-01-02T00:00:00Z' } };
}

/** Sends a request to the service. */
export async function send(bugless: Bugless, request: Request): Promise<Exchange> {
  const { method, target, options } = asHttp(request);
  const [startedAt, from] = [performance.now(), second()];
  const { status, body } = await bugless.call(method, target, options);
  const response = { status, body: status < 400 ? withoutTotal(body) : { code: body.code } };
  return { request, response, startedAt, endedAt: performance.now(), seconds: { from, to: second() } };
}

/** The model has no totals, which searches tell where they know them. */
function withoutTotal(body: JsonResponse['body']): JsonResponse['body'] {
  if (Array.isArray(body) || typeof body !== 'object') return body;
  const { total_matches: _, ...rest } = body as Record<string, unknown>;
  return rest;
}

const second = () => `${new Date().toISOString().slice(0, 19)}Z`;
