import { VERSION } from '../../version.ts';
import { credentialParameters } from '../request.ts';
import { type AuthPolicy, type Route, writes } from '../routes.ts';
import {
  type EndpointGroupDescription,
  isDocumented,
  type NamedParameter,
  type OperationText,
  parametersOf,
  takesIdempotencyKey,
} from './documentation.ts';
import { type ErrorResponses, errorResponses, errorsOf } from './errors.ts';
import { gatewayReferences, gatewayResponses } from './gateway.ts';
import { type JsonObject, Schemas } from './json-schema.ts';

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

const IN_HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-BUGZILLA-API-KEY': header('X-BUGZILLA-API-KEY', 'An API key.'),
  Bearer: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' },
  'X-BUGZILLA-TOKEN': header('X-BUGZILLA-TOKEN', 'A token of `GET /rest/login`.'),
  'X-BUGZILLA-LOGIN': header('X-BUGZILLA-LOGIN', 'A login name, together with `X-BUGZILLA-PASSWORD`.'),
  'X-BUGZILLA-PASSWORD': header('X-BUGZILLA-PASSWORD', 'An API key of the user, as the password.'),
};

const KINDS: readonly [RegExp, string][] = [
  [/api_key$/, 'An API key, in the query; of POST and PUT in the body as well.'],
  [/token$/, 'A token of `GET /rest/login`.'],
  [/login$/, 'A login name, together with a password.'],
  [/password$/, 'An API key of the user, as the password.'],
];

const NAMES = Object.keys(credentialParameters.shape);

/** Every way to authenticate: headers and parameters. functions/README.md 3. */
function securitySchemes(): JsonObject {
  const parameters = NAMES.map((name): [string, JsonObject] => {
    const description = KINDS.find(([pattern]) => pattern.test(name))?.[1];
    if (description === undefined) throw new Error(`The parameter ${name} has no documentation`);
    return [name, { type: 'apiKey', in: 'query', name, description }];
  });
  return { ...IN_HEADERS, ...Object.fromEntries(parameters) };
}

/** The alternatives that an operation accepts; `{}` is anonymous access. */
function securityOf(authPolicy: AuthPolicy): JsonObject[] {
  if (authPolicy === 'none' || authPolicy === 'login exempt') return [];
  const pairs = NAMES.filter((name) => name.endsWith('login')).map((login) => [
    login,
    login.replace('login', 'password'),
  ]);
  const alone = NAMES.filter((name) => /key$|token$/.test(name));
  const ways = [
    ['X-BUGZILLA-API-KEY'],
    ['Bearer'],
    ['X-BUGZILLA-TOKEN'],
    ['X-BUGZILLA-LOGIN', 'X-BUGZILLA-PASSWORD'],
    ...alone.map((name) => [name]),
    ...pairs,
  ].map((names) => Object.fromEntries(names.map((name) => [name, []])));
  const isAnonymousAllowed = authPolicy === 'public' || authPolicy === 'always public';
  return isAnonymousAllowed ? [{}, ...ways] : ways;
}

/** The OpenAPI operation of a route, without name and tag. */
function operationOf(
  route: Route,
  text: OperationText,
  schemas: Schemas,
  errorResponses: ErrorResponses,
): JsonObject {
  const isReading = !writes(route);
  const documented = parametersOf(text);
  const parameters = [
    ...pathParameters(route, text, schemas),
    ...(isReading ? documented.map((parameter) => queryParameter(parameter, schemas)) : []),
    ...(text.selectsFields ? [reference('include_fields'), reference('exclude_fields')] : []),
    ...(isReading ? [reference('If-None-Match')] : []),
    ...(text.takesIfMatch ? [reference('If-Match')] : []),
    ...(takesIdempotencyKey(route, text) ? [reference('Idempotency-Key')] : []),
  ];
  return {
    summary: text.summary,
    description: text.text,
    parameters,
    ...(isReading ? {} : { requestBody: bodyOf(documented, schemas) }),
    responses: {
      [text.response.status]: responseOf(text, isReading, schemas),
      ...(isReading ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...errorResponses.responsesFor(errorsOf(route, text)),
      ...gatewayReferences(!isReading),
    },
    security: securityOf(route.authPolicy),
  };
}

/** Parameters that operations share, for `components`. functions/README.md 2. */
const SHARED_PARAMETERS = [
  fieldList(
    'include_fields',
    'Only these fields of each object, separated by commas. `components.name` selects inside `components`; `_all` and `_default` are all fields.',
  ),
  fieldList('exclude_fields', 'All but these fields; it wins over `include_fields`.'),
  inHeader(
    'If-None-Match',
    'The `ETag` of an earlier response: if it is still current, the response is 304 without a body.',
  ),
  inHeader(
    'If-Match',
    'The `bugless_version` of the bug, in quotes: if it has changed since, nothing is written, and the response is 412.',
  ),
  inHeader(
    'Idempotency-Key',
    'Makes the request safe to repeat: for 24 hours, a repeated key returns the first response again.',
    { maxLength: 255 },
  ),
];

const ETAG = { ETag: { description: 'Equal for equal content.', schema: { type: 'string' } } };

const NOT_MODIFIED: JsonObject = {
  description: 'The response with the `ETag` of `If-None-Match` is still current.',
  headers: ETAG,
};

function inHeader(name: string, description: string, more: JsonObject = {}) {
  return { name, in: 'header', description, schema: { type: 'string', ...more } };
}

function fieldList(name: string, description: string) {
  const schema = { type: 'array', items: { type: 'string' }, examples: [['id', 'name']] };
  return { name, in: 'query', description, style: 'form', explode: false, schema };
}

const reference = (parameter: string) => ({ $ref: `#/components/parameters/${parameter}` });

function pathParameters({ method, path }: Route, { path: texts = {} }: OperationText, schemas: Schemas) {
  return [...path.matchAll(/\{([^+}]+)\+?\}/g)].map(([, name = '']) => {
    const text = texts[name];
    if (text?.type === undefined) {
      throw new Error(`The parameter ${name} of ${method} ${path} has no documentation`);
    }
    const { text: description, type, example } = text;
    return { name, in: 'path', required: true, description, schema: schemas.convert(type()), example };
  });
}

function queryParameter(parameter: NamedParameter, schemas: Schemas): JsonObject {
  const { name, text: description, required } = parameter;
  const isRequired = required ? { required } : {};
  return { name, in: 'query', description, ...isRequired, schema: schemaOf(parameter, schemas) };
}

/** The example is part of the schema, so that Swagger UI does not prefill it: each parameter changes the response. */
function schemaOf({ schema, type, example }: NamedParameter, schemas: Schemas): JsonObject {
  const converted = schemas.convert(type?.() ?? schema);
  return example === undefined ? converted : { ...converted, examples: [example] };
}

function bodyOf(parameters: readonly NamedParameter[], schemas: Schemas): JsonObject {
  const properties = parameters.map((parameter) => [
    parameter.name,
    { ...schemaOf(parameter, schemas), description: parameter.text },
  ]);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const example = parameters.filter((one) => one.example !== undefined).map((one) => [one.name, one.example]);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
  return {
    required: required.length > 0,
    content: { 'application/json': { schema, example: Object.fromEntries(example) } },
  };
}

function responseOf({ response }: OperationText, isReading: boolean, schemas: Schemas): JsonObject {
  return {
    description: response.text,
    ...(isReading ? { headers: ETAG } : {}),
    content: { 'application/json': { schema: schemas.convert(response.schema), example: response.example } },
  };
}

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
      parameters: Object.fromEntries(SHARED_PARAMETERS.map((one) => [one.name, one])),
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
