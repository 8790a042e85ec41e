import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { JsonResponse } from '../../lib/http/response/json.ts';
import { optional, parseParameters, text } from '../../lib/parameters.ts';
import type { BugServices } from './services.ts';

const query = z.object({ id: optional(text) });

/** Redirects from the address of a bug's page in Bugzilla to the bug in the interface: `see_also` and comments link to it. */
export const showBug: Endpoint<BugServices> = async ({ parameters }) => {
  const { id = '' } = parseParameters(query, parameters);
  if (id === '') throw errors.parameterMissing('id');
  return new JsonResponse(302, {}, { location: `/rest/bug/${encodeURIComponent(id)}` });
};
