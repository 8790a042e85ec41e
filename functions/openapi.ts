import { openApiDocument } from '../lib/openapi/document.ts';
import type { GroupText } from '../lib/openapi/documentation.ts';
import type { JsonObject } from '../lib/openapi/json-schema.ts';
import { introduction } from './api-description.ts';
import { text as bugs } from './bugs/openapi.ts';
import { text as commentTags } from './comment-tags/openapi.ts';
import { text as comments } from './comments/openapi.ts';
import { text as explorer } from './explorer/openapi.ts';
import { groupsExcept } from './groups.ts';
import { text as products } from './products/openapi.ts';
import { text as serviceInfo } from './service-info/openapi.ts';

/** What is said of each group of functions/groups.ts. No handler but the explorer's imports this. */
export const groupTexts: Readonly<Record<string, GroupText>> = {
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
 * @param documentationUrl where errors say that there is more to read
 * @param leftOut names of groups that are not served
 * @throws Error when a group, a route or a parameter has no documentation
 */
export function describeInterface(documentationUrl: string, leftOut: readonly string[] = []): JsonObject {
  const documented = Object.entries(groupsExcept(leftOut)).map(([group, routes]) => {
    const text = groupTexts[group];
    if (text === undefined) throw new Error(`The group ${group} has no documentation`);
    return { routes, text };
  });
  return openApiDocument(documented, { introduction, documentationUrl });
}
