import { openApiDocument } from '../lib/openapi/document.ts';
import type { GroupText } from '../lib/openapi/documentation.ts';
import type { JsonObject } from '../lib/openapi/json-schema.ts';
import { apiDescription } from './api-description.ts';
import { text as bugs } from './bugs/openapi.ts';
import { text as commentTags } from './comment-tags/openapi.ts';
import { text as comments } from './comments/openapi.ts';
import { text as explorer } from './explorer/openapi.ts';
import { type GroupName, groupsExcept } from './groups.ts';
import { text as products } from './products/openapi.ts';
import { text as serviceInfo } from './service-info/openapi.ts';

/** The documentation of each group. Not in group.ts, because only the bundle of the explorer needs it. */
export const groupTexts: Readonly<Record<GroupName, GroupText>> = {
  products,
  bugs,
  comments,
  'comment-tags': commentTags,
  'service-info': serviceInfo,
  explorer,
};

/**
 * The OpenAPI document of the interface.
 *
 * @param documentationUrl URL of `externalDocs` and of the error examples; '' omits it
 * @param leftOut names of groups that are not served
 * @throws Error when a route or a parameter has no documentation
 */
export function describeInterface(documentationUrl: string, leftOut: readonly string[] = []): JsonObject {
  const documented = groupsExcept(leftOut).map(({ name, routes }) => ({ routes, text: groupTexts[name] }));
  return openApiDocument(documented, { apiDescription, documentationUrl });
}
