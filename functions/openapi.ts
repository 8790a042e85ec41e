import { openApiDocument } from '../lib/http/openapi/document.ts';
import type { EndpointGroupDescription } from '../lib/http/openapi/documentation.ts';
import type { JsonObject } from '../lib/http/openapi/json-schema.ts';
import { description as account } from './account/openapi.ts';
import { description as administration } from './administration/openapi.ts';
import { apiDescription } from './api-description.ts';
import { description as attachments } from './attachments/openapi.ts';
import { description as bugs } from './bugs/openapi.ts';
import { description as commentTags } from './comment-tags/openapi.ts';
import { description as comments } from './comments/openapi.ts';
import { type EndpointGroupName, endpointGroupsExcept } from './endpoint-groups.ts';
import { description as explorer } from './explorer/openapi.ts';
import { description as products } from './products/openapi.ts';
import { description as serviceInfo } from './service-info/openapi.ts';

/** The documentation of each endpoint group. Not in endpoints.ts, because only the bundle of the explorer needs it. */
export const descriptions: Readonly<Record<EndpointGroupName, EndpointGroupDescription>> = {
  products,
  bugs,
  attachments,
  comments,
  'comment-tags': commentTags,
  administration,
  'service-info': serviceInfo,
  account,
  explorer,
};

/**
 * The OpenAPI document of the interface.
 *
 * @param documentationUrl URL of `externalDocs` and of the error examples; '' omits it
 * @param leftOut names of endpoint groups that are not served
 * @throws Error when a route or a parameter has no documentation
 */
export function describeInterface(documentationUrl: string, leftOut: readonly string[] = []): JsonObject {
  const documented = endpointGroupsExcept(leftOut).map(({ name, routes }) => ({
    routes,
    description: descriptions[name],
  }));
  return openApiDocument(documented, { apiDescription, documentationUrl });
}
