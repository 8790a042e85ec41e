import { openApiDocument } from '../lib/http/openapi/document.ts';
import type { EndpointGroupDescription } from '../lib/http/openapi/documentation.ts';
import type { JsonObject } from '../lib/http/openapi/json-schema.ts';
import { description as account } from './account/openapi.ts';
import { description as administration } from './administration/openapi.ts';
import { description as attachments } from './attachments/openapi.ts';
import { description as bugs } from './bugs/openapi.ts';
import { description as commentTags } from './comment-tags/openapi.ts';
import { description as comments } from './comments/openapi.ts';
import { type EndpointGroupName, endpointGroupsExcept } from './endpoint-groups.ts';
import { description as explorer } from './explorer/openapi.ts';
import { description as products } from './products/openapi.ts';
import { description as serviceInfo } from './service-info/openapi.ts';

/** The description of the OpenAPI document; Markdown. */
const apiDescription = `Bugzilla's REST interface for products, bugs and comments. Clients written for Bugzilla 5.2 work unchanged.

**Authenticate** with an API key: as the header \`X-BUGZILLA-API-KEY\`, as a bearer token, or as the parameter \`api_key\`. Public data needs none. An invalid key is always an error.

**Parameters** of GET are in the query string; those of POST and PUT in a JSON object, a form or the query string, which takes precedence. Lists are repeated keys: \`ids=1&ids=2\`. Unknown parameters are ignored, except when products are updated or bugs are created.

**Responses** are JSON. Errors use Bugzilla's format and codes. Responses to GET have an \`ETag\` and support \`If-None-Match\`; large ones are compressed if the client accepts it.

**CORS**: every operation may be called from other origins, with an API key in a header; there are no cookies. \`OPTIONS\` lists the methods of a path.`;

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
