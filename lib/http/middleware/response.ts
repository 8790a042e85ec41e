import type { Middleware } from '../handler-types.ts';
import { requireRequest } from '../request.ts';
import { toGatewayResponse } from '../response/gateway-response.ts';
import { JsonResponse } from '../response/json.ts';

/**
 * Serializes the response of the endpoint.
 *
 * @example middy(endpoint).use(response())
 */
export const response = (): Middleware => ({
  after: async (state) => {
    if (state.response instanceof JsonResponse) {
      state.response = await toGatewayResponse(requireRequest(state.event), state.response);
    }
  },
});
