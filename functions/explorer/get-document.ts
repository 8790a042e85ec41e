import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { ExplorerServices } from './services.ts';

/** Returns the OpenAPI document of the endpoint groups that this installation serves. */
export const getDocument: Endpoint<ExplorerServices> = async (_, { settings }) => {
  // Its schemas are made with the first document: the page does not need them.
  const { describeInterface } = await import('../openapi.ts');
  return ok(describeInterface(settings.DOCUMENTATION_URL, settings.LEFT_OUT_GROUPS), {
    'cache-control': 'no-cache',
  });
};
