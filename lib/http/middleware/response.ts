import type { Middleware } from '../handler-types.ts';
import { requireRequest } from '../request.ts';
import { toGatewayResponse } from '../response/gateway-response.ts';
import { ignoredHeader } from '../response/ignored.ts';
import { JsonResponse } from '../response/json.ts';

/**
 * Serializes the response of the endpoint.
 *
 * @example middy(endpoint).use(response())
 */
export const response = (): Middleware => ({
  after: async (state) => {
    if (state.response instanceof JsonResponse) {
      const request = requireRequest(state.event);
      const { status, body, headers } = state.response;
      const ignored = ignoredHeader(request.parameters.ignored());
      state.response = await toGatewayResponse(
        request,
        new JsonResponse(status, body, { ...ignored, ...headers }),
      );
    }
  },
});
