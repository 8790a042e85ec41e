import * as z from 'zod/mini';
import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { requireRequest } from '../request.ts';

const jsonObject = z.nullable(z.record(z.string(), z.unknown()));

/** An error of the parser: 422 with the reason as its cause. */
const parserError = z.object({
  message: z.string(),
  cause: z.object({
    package: z.literal('@middy/http-json-body-parser'),
    message: z.optional(z.string()),
  }),
});

/**
 * Reads the parsed body as parameters, `null` as none. Parameters of the query string win.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(decodeBody()).use(httpJsonBodyParser()).use(bodyParameters())
 */
export const bodyParameters = (): Middleware => ({
  before: (state) => {
    const request = requireRequest(state.event);
    const { data, success } = jsonObject.safeParse(request.body);
    if (!success) throw errors.bodyUnreadable('it must be a JSON object');
    request.addParameters(Object.entries(data ?? {}));
  },
  onError: (state) => {
    const { data } = parserError.safeParse(state.error);
    if (data !== undefined) state.error = errors.bodyUnreadable(data.cause.message ?? data.message);
  },
});
