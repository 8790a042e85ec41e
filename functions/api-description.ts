/** What the OpenAPI document says before all operations; Markdown. */
export const introduction = `Bugzilla's REST interface for products and bug comments. Clients written for Bugzilla 5.2 work unchanged.

**Who asks** is said by an API key: as the header \`X-BUGZILLA-API-KEY\`, as a bearer token, or as the parameter \`api_key\`. Much may be read without one. A key that is wrong is an error, also where none is needed.

**Parameters** of GET come in the query; those of POST and PUT in a JSON object or a form, or in the query too, which wins. Lists are repeated keys: \`ids=1&ids=2\`. Unknown parameters are ignored, but not when products or bugs are changed.

**Answers** are JSON. What goes wrong says so in one shape, with the codes of Bugzilla. GET answers carry an \`ETag\` and heed \`If-None-Match\`; large ones are compressed for those who accept it. A browser that opens an address is shown the same JSON as a page.

**From other web sites** everything may be called, with an API key in a header; there are no cookies. \`OPTIONS\` says which methods a path has.`;
