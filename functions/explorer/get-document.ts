import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { describeInterface } from '../openapi.ts';
import type { ExplorerServices } from './services.ts';

/** Returns the OpenAPI document of the endpoint groups that this installation serves. */
export const getDocument: Endpoint<ExplorerServices> = async (_, { settings }) =>
  ok(describeInterface(settings.DOCUMENTATION_URL, settings.LEFT_OUT_GROUPS), {
    'cache-control': 'no-cache',
  });
