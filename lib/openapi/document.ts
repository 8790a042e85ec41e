import type { Route } from '../http/routes.ts';
import { VERSION } from '../version.ts';
import { type GroupText, isDocumented, type OperationText } from './documentation.ts';
import { ErrorResponses } from './errors.ts';
import { gatewayResponses } from './gateway.ts';
import { type JsonObject, Schemas } from './json-schema.ts';
import { NOT_MODIFIED, operationOf, SHARED_PARAMETERS } from './operation.ts';
import { securitySchemes } from './security.ts';

/** A group of routes with its documentation. */
export interface DocumentedGroup {
  routes: readonly Route[];
  text: GroupText;
}

/** The texts of the document itself. */
export interface DocumentTexts {
  /** Markdown */
  apiDescription: string;
  /** URL of `externalDocs` and of the error examples; '' omits it */
  documentationUrl: string;
}

/**
 * Builds the OpenAPI 3.1 document of groups of routes.
 *
 * @throws Error when a route or a parameter has no documentation
 */
export function openApiDocument(groups: readonly DocumentedGroup[], texts: DocumentTexts): JsonObject {
  const schemas = new Schemas();
  const errorResponses = new ErrorResponses(schemas, texts.documentationUrl);
  const paths = pathsOf(groups, schemas, errorResponses);
  const responses = { NotModified: NOT_MODIFIED, ...gatewayResponses(schemas) };
  const { documentationUrl } = texts;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bugless',
      version: VERSION,
      summary: "Bugzilla's REST interface for products and bug comments",
      description: texts.apiDescription,
    },
    ...(documentationUrl === '' ? {} : { externalDocs: { url: documentationUrl } }),
    servers: [{ url: '/', description: 'This installation' }],
    tags: groups.map(({ text }) => ({ name: text.title, description: text.text })),
    paths,
    components: {
      schemas: schemas.components(),
      parameters: SHARED_PARAMETERS,
      responses,
      examples: errorResponses.examples(),
      securitySchemes: securitySchemes(),
    },
  };
}

function pathsOf(
  groups: readonly DocumentedGroup[],
  schemas: Schemas,
  errorResponses: ErrorResponses,
): JsonObject {
  const paths = new Map<string, JsonObject>();
  const names = new Set<string>();
  for (const { routes, text } of groups) {
    const texts = new Map(Object.entries<OperationText>(text.operations));
    for (const route of routes) {
      if (!isDocumented(route)) continue;
      const documentation = texts.get(operationKey(route));
      if (documentation === undefined) throw new Error(`${operationKey(route)} has no documentation`);
      const operation = operationOf(route, documentation, schemas, errorResponses);
      const path = route.path.replaceAll('+}', '}');
      paths.set(path, {
        ...paths.get(path),
        [route.method.toLowerCase()]: {
          operationId: nameOf(route, names),
          tags: [text.title],
          ...operation,
        },
      });
    }
  }
  return Object.fromEntries(paths);
}

/** The key of an operation in a group's documentation: `GET /rest/bug/`. */
export const operationKey = ({ method, path }: Route): string => `${method} ${path}`;

/** The name of the endpoint; for further routes of it, with that of the path parameter. */
function nameOf({ endpoint, path }: Route, taken: Set<string>): string {
  const parameter = /\{([^+}]+)\+?\}/.exec(path)?.[1] ?? '';
  const by = parameter.replaceAll(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
  const name = taken.has(endpoint) ? `${endpoint}By${by}` : endpoint;
  taken.add(name);
  return name;
}
