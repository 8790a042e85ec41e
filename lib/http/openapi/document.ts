import { VERSION } from '../../version.ts';
import type { Route } from '../routes.ts';
import { type EndpointGroupDescription, isDocumented, type OperationText } from './documentation.ts';
import { type ErrorResponses, errorResponses } from './errors.ts';
import { gatewayResponses } from './gateway.ts';
import { type JsonObject, Schemas } from './json-schema.ts';
import { NOT_MODIFIED, operationOf, SHARED_PARAMETERS } from './operation.ts';
import { securitySchemes } from './security.ts';

/** A group of routes with its documentation. */
export interface DocumentedEndpointGroup {
  routes: readonly Route[];
  description: EndpointGroupDescription;
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
export function openApiDocument(
  endpointGroups: readonly DocumentedEndpointGroup[],
  texts: DocumentTexts,
): JsonObject {
  const schemas = new Schemas();
  const failures = errorResponses(schemas, texts.documentationUrl);
  const paths = pathsOf(endpointGroups, schemas, failures);
  const responses = { NotModified: NOT_MODIFIED, ...gatewayResponses(schemas) };
  const { documentationUrl } = texts;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bugless',
      version: VERSION,
      summary: "Bugzilla's REST interface for products, bugs and comments",
      description: texts.apiDescription,
    },
    ...(documentationUrl === '' ? {} : { externalDocs: { url: documentationUrl } }),
    servers: [{ url: '/', description: 'This installation' }],
    tags: endpointGroups.map(({ description: { title, text } }) => ({ name: title, description: text })),
    paths,
    components: {
      schemas: schemas.components(),
      parameters: SHARED_PARAMETERS,
      responses,
      examples: failures.examples(),
      securitySchemes: securitySchemes(),
    },
  };
}

function pathsOf(
  endpointGroups: readonly DocumentedEndpointGroup[],
  schemas: Schemas,
  failures: ErrorResponses,
): JsonObject {
  const paths = new Map<string, JsonObject>();
  const names = new Set<string>();
  for (const { routes, description } of endpointGroups) {
    const texts = new Map(Object.entries<OperationText>(description.operations));
    for (const route of routes) {
      if (!isDocumented(route)) continue;
      const documentation = texts.get(operationKey(route));
      if (documentation === undefined) throw new Error(`${operationKey(route)} has no documentation`);
      const operation = operationOf(route, documentation, schemas, failures);
      const path = route.path.replaceAll('+}', '}');
      paths.set(path, {
        ...paths.get(path),
        [route.method.toLowerCase()]: {
          operationId: operationName(route, names),
          tags: [description.title],
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
function operationName({ endpoint, path }: Route, taken: Set<string>): string {
  const parameter = /\{([^+}]+)\+?\}/.exec(path)?.[1] ?? '';
  const by = parameter.replaceAll(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
  const name = taken.has(endpoint) ? `${endpoint}By${by}` : endpoint;
  taken.add(name);
  return name;
}
