/** The description of the OpenAPI document; Markdown. */
export const apiDescription = `Bugzilla's REST interface for products, bugs and comments. Clients written for Bugzilla 5.2 work unchanged.

**Authenticate** with an API key: as the header \`X-BUGZILLA-API-KEY\`, as a bearer token, or as the parameter \`api_key\`. Public data needs none. An invalid key is always an error.

**Parameters** of GET are in the query string; those of POST and PUT in a JSON object, a form or the query string, which takes precedence. Lists are repeated keys: \`ids=1&ids=2\`. Unknown parameters are ignored, except when products are updated or bugs are created.

**Responses** are JSON. Errors use Bugzilla's format and codes. Responses to GET have an \`ETag\` and support \`If-None-Match\`; large ones are compressed if the client accepts it.

**CORS**: every operation may be called from other origins, with an API key in a header; there are no cookies. \`OPTIONS\` lists the methods of a path.`;
